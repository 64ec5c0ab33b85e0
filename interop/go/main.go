// Command interop is a storage provider's client in the small: it asks a daemon for proofs the way Curio does and checks what
// comes back, call by call. Proofs are written to a folder, for the network's verifier to judge. A line "ok" or "FAIL" a check.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const (
	proofBytes   = 192
	proveTimeout = 10 * time.Minute
)

type suite struct {
	client *client
	oracle string
	out    string
	failed bool
}

func (s *suite) check(name string, body func() error) bool {
	if err := body(); err != nil {
		fmt.Printf("FAIL go client: %s: %v\n", name, err)
		s.failed = true
		return false
	}
	fmt.Printf("ok go client: %s\n", name)
	return true
}

// accept is what Curio does with an answer, and a little more.
func (s *suite) accept(r result, err error, id, file string) error {
	switch {
	case err != nil:
		return err
	case r.status != statusCompleted:
		return fmt.Errorf("status %d: %s", r.status, r.errorMessage)
	case r.jobID == "" || (id != "" && r.jobID != id && !strings.HasPrefix(r.jobID, id)):
		return fmt.Errorf("job_id %q for request %q", r.jobID, id)
	case len(r.proof) == 0 || len(r.proof)%proofBytes != 0:
		return fmt.Errorf("%d bytes of proof", len(r.proof))
	case r.total == 0:
		return fmt.Errorf("total_ms is 0 for a completed job")
	}
	if file == "" {
		return nil
	}
	return os.WriteFile(filepath.Join(s.out, file), r.proof, 0o644)
}

func wantCode(err error, code codes.Code) error {
	if got := status.Code(err); got != code {
		return fmt.Errorf("code %v (%v), expected %v", got, err, code)
	}
	return nil
}

// kinds proves every case as Curio asks for it.
func (s *suite) kinds(ctx context.Context, cases []string) {
	for _, name := range cases {
		r, err := load(s.oracle, name)
		s.check(name+": Prove as Curio does", func() error {
			if err != nil {
				return err
			}
			id, m := r.asCurio()
			answer, err := s.client.prove(ctx, m, proveTimeout)
			return s.accept(answer, err, id, name+".proof")
		})
		if err == nil && (r.Kind == "POREP_SEAL_COMMIT" || r.Kind == "SNAP_DEALS_UPDATE") && !strings.Contains(name, "-2KiB-") {
			s.check(name+": Prove as its proof market does", func() error {
				id, m := r.asProofShare(17)
				answer, err := s.client.prove(ctx, m, proveTimeout)
				return s.accept(answer, err, id, name+".market.proof")
			})
		}
	}
}

// sameID sends what two partitions of one deadline are: one id, two contents, at the same time; and a retry: one id, one content.
func (s *suite) sameID(ctx context.Context) {
	s.check("two partitions under one request_id get a proof each", func() error {
		names := []string{"wpost-2KiB", "wpost-2KiB-3sectors"}
		answers := make([]result, len(names))
		errors := make([]error, len(names))
		var group sync.WaitGroup
		for i, name := range names {
			r, err := load(s.oracle, name)
			if err != nil {
				return err
			}
			group.Add(1)
			go func() {
				defer group.Done()
				answers[i], errors[i] = s.client.prove(ctx, r.post("wdpost-shared", kindWindowPost, priorityHigh), proveTimeout)
			}()
		}
		group.Wait()
		for i, name := range names {
			if err := s.accept(answers[i], errors[i], "", name+".shared.proof"); err != nil {
				return err
			}
		}
		if bytes.Equal(answers[0].proof, answers[1].proof) {
			return fmt.Errorf("one proof for both")
		}
		return nil
	})
	s.check("a repeated request joins its job", func() error {
		r, err := load(s.oracle, "wpost-2KiB")
		if err != nil {
			return err
		}
		var answers [3]result
		var errors [3]error
		var group sync.WaitGroup
		for i := range answers {
			group.Add(1)
			go func() {
				defer group.Done()
				answers[i], errors[i] = s.client.prove(ctx, r.post("wdpost-retried", kindWindowPost, priorityHigh), proveTimeout)
			}()
		}
		group.Wait()
		for i := range answers {
			if err := s.accept(answers[i], errors[i], "wdpost-retried", ""); err != nil {
				return err
			}
			if !bytes.Equal(answers[i].proof, answers[0].proof) {
				return fmt.Errorf("answers differ: the job ran more than once")
			}
		}
		return nil
	})
}

// failures checks how each failure is told.
func (s *suite) failures(ctx context.Context) {
	window, err := load(s.oracle, "wpost-2KiB")
	if err != nil {
		s.check("the recorded request", func() error { return err })
		return
	}
	for _, kind := range []uint64{0, 5} {
		s.check(fmt.Sprintf("proof_kind %d is INVALID_ARGUMENT", kind), func() error {
			_, err := s.client.prove(ctx, window.post("bad-kind", kind, 0), time.Minute)
			return wantCode(err, codes.InvalidArgument)
		})
	}
	s.check("Prove without submit is INVALID_ARGUMENT", func() error {
		_, err := s.client.call(ctx, "Prove", nil)
		return wantCode(err, codes.InvalidArgument)
	})
	s.check("AwaitProof of an unknown job is NOT_FOUND", func() error {
		_, err := s.client.await(ctx, "nobody", time.Second)
		return wantCode(err, codes.NotFound)
	})
	s.check("PreloadSRS of an unknown circuit is INTERNAL", func() error {
		_, err := s.client.call(ctx, "PreloadSRS", message(nil).blob(1, []byte("porep-33g")))
		return wantCode(err, codes.Internal)
	})
	broken := map[string]func(r *request){
		"a vanilla proof that is no proof": func(r *request) { r.VanillaProofs = [][]byte{[]byte("nonsense")} },
		"no vanilla proofs":                func(r *request) { r.VanillaProofs = nil },
		"randomness of 31 bytes":           func(r *request) { r.Randomness = r.Randomness[:31] },
		"a proof of another challenge": func(r *request) {
			r.Randomness = append([]byte{r.Randomness[0] ^ 1}, r.Randomness[1:]...)
		},
	}
	for name, change := range broken {
		s.check(name+" is FAILED inside OK", func() error {
			bad := window
			change(&bad)
			answer, err := s.client.prove(ctx, bad.post("broken "+name, kindWindowPost, 0), time.Minute)
			if err != nil {
				return err
			}
			if answer.status != statusFailed || answer.errorMessage == "" || len(answer.proof) != 0 {
				return fmt.Errorf("status %d, message %q, %d bytes", answer.status, answer.errorMessage, len(answer.proof))
			}
			return nil
		})
	}
	s.check("a message of 130 MiB arrives", func() error {
		large := message(nil).blob(fRequestID, []byte("large")).number(fProofKind, kindPoRep).blob(fVanillaProof, make([]byte, 130<<20))
		answer, err := s.client.prove(ctx, large, time.Minute)
		if err == nil && answer.status != statusFailed {
			err = fmt.Errorf("status %d", answer.status)
		}
		return err
	})
}

// waiting checks what a wait that ends before its job does to the job: nothing.
func (s *suite) waiting(ctx context.Context, slow string) {
	r, err := load(s.oracle, slow)
	if err != nil {
		s.check("the recorded request", func() error { return err })
		return
	}
	s.check("a call's deadline ends the wait, not the job", func() error {
		_, m := r.asProofShare(18)
		_, err := s.client.prove(ctx, m, 5*time.Millisecond)
		if err := wantCode(err, codes.DeadlineExceeded); err != nil {
			return err
		}
		// The same request joins the job, if the daemon has got it before the deadline; else it begins it.
		answer, err := s.client.prove(ctx, m, proveTimeout)
		return s.accept(answer, err, "", "")
	})
	s.check("SubmitProof, AwaitProof: TIMEOUT, then the proof, then the same proof", func() error {
		_, m := r.asProofShare(19)
		job, err := s.client.submit(ctx, m)
		if err != nil {
			return err
		}
		early, err := s.client.await(ctx, job, time.Millisecond)
		if err != nil {
			return err
		}
		if early.status != statusTimeout {
			return fmt.Errorf("status %d after a millisecond", early.status)
		}
		first, err := s.client.await(ctx, job, 0)
		if err := s.accept(first, err, job, ""); err != nil {
			return err
		}
		late, err := s.client.await(ctx, job, 0)
		if err := s.accept(late, err, job, ""); err != nil {
			return err
		}
		if !bytes.Equal(first.proof, late.proof) {
			return fmt.Errorf("the late answer is another proof")
		}
		return nil
	})
	s.check("CancelProof ends a job: CANCELLED", func() error {
		_, m := r.asProofShare(20)
		job, err := s.client.submit(ctx, m)
		if err != nil {
			return err
		}
		response, err := s.client.call(ctx, "CancelProof", message(nil).blob(1, []byte(job)))
		if err != nil {
			return err
		}
		if f, err := decode(response); err != nil || f.number(1) != 1 {
			return fmt.Errorf("was_running is %d (%v)", f.number(1), err)
		}
		answer, err := s.client.await(ctx, job, 0)
		if err == nil && answer.status != statusCancelled {
			err = fmt.Errorf("status %d", answer.status)
		}
		return err
	})
}

func (s *suite) service(ctx context.Context) {
	s.check("an empty request_id gets an id", func() error {
		r, err := load(s.oracle, "wpost-2KiB")
		if err != nil {
			return err
		}
		answer, err := s.client.prove(ctx, r.post("", kindWindowPost, 0), proveTimeout)
		return s.accept(answer, err, "", "")
	})
	s.check("GetStatus names the four kinds and counts", func() error {
		st, err := s.client.status(ctx)
		if err != nil {
			return err
		}
		var kinds []string
		for _, q := range st.queues {
			kinds = append(kinds, q.kind)
		}
		if got := strings.Join(kinds, " "); got != "porep-c2 snap-update window-post winning-post" {
			return fmt.Errorf("queues of %q", got)
		}
		if st.gpus == 0 || st.completed == 0 || st.failed == 0 || st.load != 0 {
			return fmt.Errorf("%d devices, %d completed, %d failed, %d under way", st.gpus, st.completed, st.failed, st.load)
		}
		return nil
	})
	s.check("GetMetrics has the names that dashboards know", func() error {
		response, err := s.client.call(ctx, "GetMetrics", nil)
		if err != nil {
			return err
		}
		f, err := decode(response)
		if err != nil {
			return err
		}
		text := string(f.blob(1))
		for _, name := range []string{"cuzk_proofs_completed_total ", "cuzk_proofs_failed_total ", "cuzk_uptime_seconds ", "cuzk_queue_depth ",
			`cuzk_proofs_completed{proof_kind="window_post"} `, `cuzk_proofs_failed{proof_kind="porep_c2"} `,
			`cuzk_proof_duration_seconds_count{proof_kind="window_post"} `, `cuzk_proof_duration_seconds_sum{proof_kind="window_post"} `,
			"cuzk_running_jobs ", "cuzk_gpu_workers "} {
			if !strings.Contains(text, "\n"+name) {
				return fmt.Errorf("%q is missing", name)
			}
		}
		return nil
	})
	s.check("EvictSRS and PreloadSRS", func() error {
		id := message(nil).blob(1, []byte("wpost-2k"))
		for _, step := range []struct {
			method string
			want   uint64
		}{{"EvictSRS", 1}, {"EvictSRS", 0}, {"PreloadSRS", 0}, {"PreloadSRS", 1}} {
			response, err := s.client.call(ctx, step.method, id)
			if err != nil {
				return err
			}
			if f, err := decode(response); err != nil || f.number(1) != step.want {
				return fmt.Errorf("%s: field 1 is %d, expected %d (%v)", step.method, f.number(1), step.want, err)
			}
		}
		return nil
	})
}

func main() {
	address := flag.String("addr", "", "the daemon")
	oracle := flag.String("oracle", "", "folder of recorded cases")
	out := flag.String("out", "", "folder for proofs")
	slow := flag.String("slow", "porep-2KiB", "a case that takes a while")
	circuits := flag.Bool("circuits", false, "the arguments are folders of registered circuits, not cases")
	flag.Parse()
	c, err := dial(*address)
	if err != nil {
		fmt.Println("FAIL go client:", err)
		os.Exit(1)
	}
	s := &suite{client: c, oracle: *oracle, out: *out}
	ctx := context.Background()
	if *circuits {
		s.circuits(ctx, flag.Args())
	} else {
		s.kinds(ctx, flag.Args())
		s.sameID(ctx)
		s.failures(ctx)
		s.waiting(ctx, *slow)
		s.service(ctx)
	}
	if s.failed {
		os.Exit(1)
	}
}
