package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// request is what a recorded case holds, in the JSON mapping of protobuf.
type request struct {
	Kind            string   `json:"proof_kind"`
	SectorSize      uint64   `json:"sector_size"`
	RegisteredProof uint64   `json:"registered_proof"`
	SectorNumber    uint64   `json:"sector_number"`
	MinerID         uint64   `json:"miner_id"`
	PartitionIndex  uint32   `json:"partition_index"`
	VanillaProof    []byte   `json:"vanilla_proof"`
	VanillaProofs   [][]byte `json:"vanilla_proofs"`
	Randomness      []byte   `json:"randomness"`
	CommROld        []byte   `json:"comm_r_old"`
	CommRNew        []byte   `json:"comm_r_new"`
	CommDNew        []byte   `json:"comm_d_new"`
}

func load(oracle, name string) (request, error) {
	var r request
	data, err := os.ReadFile(filepath.Join(oracle, name, "request.json"))
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	return r, err
}

// asCurio builds the request that a Curio node sends for the case: its ids, its priorities, the fields that it sets and no others.
func (r request) asCurio() (id string, m message) {
	switch r.Kind {
	case "POREP_SEAL_COMMIT":
		id = fmt.Sprintf("porep-%d-%d", r.MinerID, r.SectorNumber)
		return id, r.porep(id)
	case "SNAP_DEALS_UPDATE":
		id = fmt.Sprintf("snap-%d-%d", r.MinerID, r.SectorNumber)
		return id, r.snap(id, r.SectorSize)
	case "WINDOW_POST_PARTITION":
		id = fmt.Sprintf("wdpost-%d-%d-%d", r.MinerID, 0, r.Randomness[:8])
		return id, r.post(id, kindWindowPost, priorityHigh)
	default:
		id = fmt.Sprintf("winpost-%d-%x", r.MinerID, r.Randomness[:8])
		return id, r.post(id, kindWinningPost, priorityCritical)
	}
}

// asProofShare builds the request of Curio's proof market, which names the task in the id and leaves out an update's sector size.
func (r request) asProofShare(task int) (id string, m message) {
	if r.Kind == "POREP_SEAL_COMMIT" {
		id = fmt.Sprintf("ps-porep-%d-%d-%d", r.MinerID, r.SectorNumber, task)
		return id, r.porep(id)
	}
	id = fmt.Sprintf("ps-snap-%d-%d-%d", r.MinerID, r.SectorNumber, task)
	return id, r.snap(id, 0)
}

func (r request) porep(id string) message {
	return message(nil).blob(fRequestID, []byte(id)).number(fProofKind, kindPoRep).number(fSectorSize, r.SectorSize).
		number(fRegisteredProof, r.RegisteredProof).number(fPriority, priorityNormal).blob(fVanillaProof, r.VanillaProof).
		number(fSectorNumber, r.SectorNumber).number(fMinerID, r.MinerID)
}

func (r request) snap(id string, sectorSize uint64) message {
	m := message(nil).blob(fRequestID, []byte(id)).number(fProofKind, kindSnap).number(fSectorSize, sectorSize).
		number(fRegisteredProof, r.RegisteredProof).number(fPriority, priorityNormal)
	for _, proof := range r.VanillaProofs {
		m = m.always(fVanillaProofs, proof)
	}
	return m.number(fSectorNumber, r.SectorNumber).number(fMinerID, r.MinerID).
		blob(fCommROld, r.CommROld).blob(fCommRNew, r.CommRNew).blob(fCommDNew, r.CommDNew)
}

func (r request) post(id string, kind, priority uint64) message {
	m := message(nil).blob(fRequestID, []byte(id)).number(fProofKind, kind).number(fSectorSize, r.SectorSize).
		number(fRegisteredProof, r.RegisteredProof).number(fPriority, priority)
	for _, proof := range r.VanillaProofs {
		m = m.always(fVanillaProofs, proof)
	}
	return m.number(fMinerID, r.MinerID).blob(fRandomness, r.Randomness).number(fPartitionIndex, uint64(r.PartitionIndex))
}
