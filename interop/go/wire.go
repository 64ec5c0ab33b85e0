// The API as tables of field numbers, written from its description and encoded by hand: nothing here knows the stubs or the .proto
// file of the daemon under test. A mistake in either shows as a difference.
package main

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

const service = "/cuzk.v1.ProvingEngine/"

// SubmitProofRequest.
const (
	fRequestID       = 1  // string
	fProofKind       = 2  // enum
	fSectorSize      = 3  // uint64
	fRegisteredProof = 4  // uint64
	fPriority        = 5  // enum
	fVanillaProof    = 10 // bytes
	fVanillaProofs   = 11 // repeated bytes
	fSectorNumber    = 20 // uint64
	fMinerID         = 21 // uint64
	fRandomness      = 22 // bytes
	fPartitionIndex  = 23 // uint32
	fCommROld        = 30 // bytes
	fCommRNew        = 31 // bytes
	fCommDNew        = 32 // bytes
)

const (
	kindPoRep       = 1
	kindSnap        = 2
	kindWindowPost  = 3
	kindWinningPost = 4
)

const (
	priorityNormal   = 2
	priorityHigh     = 3
	priorityCritical = 4
)

const (
	statusUnknown   = 0
	statusCompleted = 1
	statusFailed    = 2
	statusCancelled = 3
	statusTimeout   = 4
)

// message builds the bytes of a message; zero values are left out, as proto3 does.
type message []byte

func (m message) number(field protowire.Number, value uint64) message {
	if value == 0 {
		return m
	}
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), value)
}

func (m message) blob(field protowire.Number, value []byte) message {
	if len(value) == 0 {
		return m
	}
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), value)
}

// always is blob for parts that count even when they are empty: submessages and items of a repeated field.
func (m message) always(field protowire.Number, value []byte) message {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), value)
}

// fields is a decoded message: the values of each field in order, numbers and byte strings apart.
type fields struct {
	numbers map[protowire.Number][]uint64
	blobs   map[protowire.Number][][]byte
}

func decode(data []byte) (fields, error) {
	f := fields{map[protowire.Number][]uint64{}, map[protowire.Number][][]byte{}}
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return f, protowire.ParseError(n)
		}
		data = data[n:]
		switch kind {
		case protowire.VarintType:
			value, n := protowire.ConsumeVarint(data)
			if n < 0 {
				return f, protowire.ParseError(n)
			}
			f.numbers[number] = append(f.numbers[number], value)
			data = data[n:]
		case protowire.BytesType:
			value, n := protowire.ConsumeBytes(data)
			if n < 0 {
				return f, protowire.ParseError(n)
			}
			f.blobs[number] = append(f.blobs[number], value)
			data = data[n:]
		default:
			return f, fmt.Errorf("field %d has wire type %d, which no message of the API uses", number, kind)
		}
	}
	return f, nil
}

func (f fields) number(n protowire.Number) uint64 {
	if values := f.numbers[n]; len(values) > 0 {
		return values[len(values)-1]
	}
	return 0
}

func (f fields) blob(n protowire.Number) []byte {
	if values := f.blobs[n]; len(values) > 0 {
		return values[len(values)-1]
	}
	return nil
}

// only fails if the message has a field that is not among the known ones, or one of another kind.
func (f fields) only(name string, numbers, blobs []protowire.Number) error {
	in := func(list []protowire.Number, n protowire.Number) bool {
		for _, x := range list {
			if x == n {
				return true
			}
		}
		return false
	}
	for n := range f.numbers {
		if !in(numbers, n) {
			return fmt.Errorf("%s: unexpected number in field %d", name, n)
		}
	}
	for n := range f.blobs {
		if !in(blobs, n) {
			return fmt.Errorf("%s: unexpected bytes in field %d", name, n)
		}
	}
	return nil
}

// result is an AwaitProofResponse.
type result struct {
	jobID                                         string
	status                                        uint64
	proof                                         []byte
	errorMessage                                  string
	queueWait, srsLoad, synthesis, compute, total uint64
}

func decodeResult(data []byte) (result, error) {
	f, err := decode(data)
	if err == nil {
		err = f.only("AwaitProofResponse", []protowire.Number{2, 10, 11, 12, 13, 14}, []protowire.Number{1, 3, 4})
	}
	return result{
		jobID: string(f.blob(1)), status: f.number(2), proof: f.blob(3), errorMessage: string(f.blob(4)),
		queueWait: f.number(10), srsLoad: f.number(11), synthesis: f.number(12), compute: f.number(13), total: f.number(14),
	}, err
}

// raw hands the bytes of messages through gRPC as they are.
type raw struct{}

func (raw) Marshal(v any) ([]byte, error) {
	return *v.(*[]byte), nil
}

func (raw) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = append([]byte(nil), data...)
	return nil
}

// Name is part of the content type that goes over the wire.
func (raw) Name() string { return "proto" }
