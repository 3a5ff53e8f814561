import { PROBLEM_TYPE, createProblemBody } from './problem-body.js';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Responds to a path that is malformed or too long, which the router rejects before any hook or filter runs. */
export function refuseUrl(error: Error, _request: FastifyRequest, reply: FastifyReply): void {
  const status = 400;
  const message = `The path of this request is malformed: ${error.message}. Check how its parts are escaped.`;
  void reply
    .status(status)
    .type(PROBLEM_TYPE)
    .send(JSON.stringify(createProblemBody('invalid_request', status, message)));
}
