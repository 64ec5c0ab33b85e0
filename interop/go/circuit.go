package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/encoding/protowire"
)

// The daemon's second service: circuits that its configuration registers. Field numbers as in the other tables.
const (
	jobsService    = "/cuzk.jobs.v1.Jobs/"
	stateCompleted = 3
	stateFailed    = 4
	unsatisfied    = 1
)

func (c *client) jobs(ctx context.Context, method string, request message) (fields, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	response, err := c.invoke(ctx, jobsService+method, request)
	if err != nil {
		return fields{}, err
	}
	return decode(response)
}

// circuit submits a witness and waits for the job's end.
func (c *client) circuit(ctx context.Context, id, request string, field protowire.Number, witness []byte) (fields, error) {
	f, err := c.jobs(ctx, "SubmitCircuitProof", message(nil).blob(1, []byte(request)).blob(2, []byte(id)).always(field, witness))
	if err != nil {
		return f, err
	}
	if err := f.only("SubmitCircuitProofResponse", []protowire.Number{2, 3}, []protowire.Number{1}); err != nil {
		return f, err
	}
	f, err = c.jobs(ctx, "AwaitCircuitProof", message(nil).blob(1, f.blob(1)))
	if err != nil {
		return f, err
	}
	return f, f.only("CircuitProof", []protowire.Number{2, 9, 11, 12, 13, 14, 15}, []protowire.Number{1, 3, 4, 5, 6, 7, 8, 10})
}

// circuits proves the witness of every folder of fixtures, which the daemon knows by the folder's name, as a file and as values.
func (s *suite) circuits(ctx context.Context, folders []string) {
	for _, folder := range folders {
		id := filepath.Base(folder)
		file, err := os.ReadFile(filepath.Join(folder, "witness.wtns"))
		if err != nil || len(file) < 76 {
			s.check(id+": its witness is read", func() error { return fmt.Errorf("%d bytes: %v", len(file), err) })
			continue
		}
		values := file[76:] // behind magic, version, section 1 of 40 bytes, and the head of section 2
		for name, witness := range map[string]struct {
			field protowire.Number
			bytes []byte
		}{"wtns": {3, file}, "values": {4, values}} {
			s.check(id+": a witness as "+name, func() error {
				f, err := s.client.circuit(ctx, id, "go-"+id+"-"+name, witness.field, witness.bytes)
				if err != nil {
					return err
				}
				if f.number(2) != stateCompleted || string(f.blob(3)) != id {
					return fmt.Errorf("state %d of %q: %s", f.number(2), f.blob(3), f.blob(10))
				}
				if n := len(f.blob(5)); n != 192 && n != 256 {
					return fmt.Errorf("%d bytes of proof", n)
				}
				for suffix, text := range map[string][]byte{"proof": f.blob(6), "public": f.blob(8)} {
					if err := os.WriteFile(filepath.Join(s.out, id+"."+name+"."+suffix+".json"), text, 0o644); err != nil {
						return err
					}
				}
				return nil
			})
		}
		s.check(id+": a witness that breaks the circuit fails as unsatisfied", func() error {
			broken := append([]byte(nil), values...)
			broken[len(broken)-32] ^= 1
			f, err := s.client.circuit(ctx, id, "", 4, broken)
			if err == nil && (f.number(2) != stateFailed || f.number(9) != unsatisfied) {
				err = fmt.Errorf("state %d, failure %d: %s", f.number(2), f.number(9), f.blob(10))
			}
			return err
		})
		s.check(id+": a witness that is too short is an invalid argument", func() error {
			_, err := s.client.circuit(ctx, id, "", 4, values[:len(values)-32])
			return wantCode(err, codes.InvalidArgument)
		})
	}
	s.check("an unknown circuit is not found", func() error {
		_, err := s.client.circuit(ctx, "nobody's", "", 4, []byte{1})
		return wantCode(err, codes.NotFound)
	})
}
