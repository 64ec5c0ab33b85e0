package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/encoding/protowire"
)

const maxMessage = 256 << 20

// client calls the daemon the way a Curio node does: one lazy connection, no transport security, 256 MiB messages.
type client struct {
	connection *grpc.ClientConn
}

func dial(address string) (*client, error) {
	target := address
	if !strings.HasPrefix(address, "unix:") && !strings.Contains(address, "://") {
		target = "dns:///" + address
	}
	connection, err := grpc.NewClient(target,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage), grpc.ForceCodec(raw{})))
	return &client{connection}, err
}

func (c *client) call(ctx context.Context, method string, request []byte) ([]byte, error) {
	return c.invoke(ctx, service+method, request)
}

func (c *client) invoke(ctx context.Context, method string, request []byte) ([]byte, error) {
	var response []byte
	if request == nil {
		request = []byte{}
	}
	err := c.connection.Invoke(ctx, method, &request, &response)
	return response, err
}

// prove is SubmitProof and AwaitProof in one call, the only way in which Curio asks for proofs.
func (c *client) prove(ctx context.Context, submit message, timeout time.Duration) (result, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	response, err := c.call(ctx, "Prove", message(nil).always(1, submit))
	if err != nil {
		return result{}, err
	}
	f, err := decode(response)
	if err != nil {
		return result{}, err
	}
	if err := f.only("ProveResponse", nil, []protowire.Number{1}); err != nil {
		return result{}, err
	}
	if f.blob(1) == nil {
		return result{}, errors.New("nil result")
	}
	return decodeResult(f.blob(1))
}

func (c *client) submit(ctx context.Context, submit message) (string, error) {
	response, err := c.call(ctx, "SubmitProof", submit)
	if err != nil {
		return "", err
	}
	f, err := decode(response)
	if err != nil {
		return "", err
	}
	return string(f.blob(1)), f.only("SubmitProofResponse", []protowire.Number{2}, []protowire.Number{1, 3})
}

func (c *client) await(ctx context.Context, job string, timeout time.Duration) (result, error) {
	response, err := c.call(ctx, "AwaitProof", message(nil).blob(1, []byte(job)).number(2, uint64(timeout.Milliseconds())))
	if err != nil {
		return result{}, err
	}
	return decodeResult(response)
}

type queue struct {
	kind                string
	pending, inProgress uint64
}

type serviceStatus struct {
	gpus                    int
	circuits                []string
	queues                  []queue
	completed, failed, load uint64
}

func (c *client) status(ctx context.Context) (serviceStatus, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	response, err := c.call(ctx, "GetStatus", nil)
	if err != nil {
		return serviceStatus{}, err
	}
	f, err := decode(response)
	if err != nil {
		return serviceStatus{}, err
	}
	if err := f.only("GetStatusResponse", []protowire.Number{4, 5, 6, 7, 8}, []protowire.Number{1, 2, 3}); err != nil {
		return serviceStatus{}, err
	}
	s := serviceStatus{gpus: len(f.blobs[1]), completed: f.number(4), failed: f.number(5)}
	for _, blob := range f.blobs[2] {
		srs, err := decode(blob)
		if err != nil {
			return s, err
		}
		if err := srs.only("SRSStatus", []protowire.Number{2, 3, 4}, []protowire.Number{1}); err != nil {
			return s, err
		}
		s.circuits = append(s.circuits, string(srs.blob(1)))
	}
	for _, blob := range f.blobs[3] {
		q, err := decode(blob)
		if err != nil {
			return s, err
		}
		if err := q.only("QueueStatus", []protowire.Number{2, 3}, []protowire.Number{1}); err != nil {
			return s, err
		}
		s.queues = append(s.queues, queue{string(q.blob(1)), q.number(2), q.number(3)})
		s.load += q.number(2) + q.number(3)
	}
	return s, nil
}
