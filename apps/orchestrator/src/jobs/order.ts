import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { CALLER_WAITS_HEADER, IDEMPOTENCY_KEY_HEADER, idempotencyKeySchema } from '@phaseline/client';
import { actorIdOf } from '@phaseline/service';
import type { ControlOptions, ControlOutcome } from '@phaseline/orchestration';
import type { FastifyRequest } from 'fastify';
import { ApiProblem, jobNotFound } from '../problem/api-problem.js';
import { invalidRequest } from '../problem/validation.pipe.js';
import { ageOf } from './arrivals.js';

/** What is known of a request to a job beside its body: who asks, under which key it is repeated, and how long its caller waits. */
export type OrderHeaders = Pick<ControlOptions, 'idempotencyKey' | 'actorId' | 'stillWanted'>;

/** The parameter that takes `OrderHeaders`. */
export const Order = createParamDecorator((_: unknown, context: ExecutionContext): OrderHeaders =>
  readOrder(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** Documents them. */
export const Ordered = (): MethodDecorator =>
  applyDecorators(
    ApiHeader({
      name: IDEMPOTENCY_KEY_HEADER,
      required: false,
      description:
        'The same key with the same request is recorded once, however often it is sent; a repeat is answered as the first was. ' +
        'What changed nothing the first time is judged anew.',
    }),
    ApiHeader({
      name: CALLER_WAITS_HEADER,
      required: false,
      description:
        'How long the answer is waited for, in milliseconds. The request is dropped (`not_ready`) when it could be recorded only ' +
        'later than that after it came, or when its caller has hung up.',
    }),
  );

function readOrder(request: FastifyRequest): OrderHeaders {
  const idempotencyKey = request.headers[IDEMPOTENCY_KEY_HEADER];
  if (idempotencyKey !== undefined && !idempotencyKeySchema.safeParse(idempotencyKey).success)
    throw invalidRequest([
      { path: IDEMPOTENCY_KEY_HEADER, message: 'expected 1 to 200 printable ASCII characters without spaces' },
    ]);
  const waits = request.headers[CALLER_WAITS_HEADER];
  if (waits !== undefined && !(typeof waits === 'string' && /^[1-9]\d{0,11}$/.test(waits)))
    throw invalidRequest([{ path: CALLER_WAITS_HEADER, message: 'expected a whole number of milliseconds' }]);
  const patienceMs = waits === undefined ? Infinity : Number(waits);
  return {
    actorId: actorIdOf(request),
    ...(typeof idempotencyKey === 'string' ? { idempotencyKey } : {}),
    stillWanted: () => ageOf(request) <= patienceMs && !request.raw.socket.destroyed,
  };
}

type Judged = Extract<ControlOutcome, { kind: 'recorded' | 'nothing-to-do' | 'refused' }>;

/** The outcome, where the job itself had a say. Throws ApiProblem for all others. */
export function judged(jobId: string, outcome: ControlOutcome): Judged {
  switch (outcome.kind) {
    case 'no-such-job':
      throw jobNotFound(jobId);
    case 'key-conflict':
      throw new ApiProblem(
        'idempotency_conflict',
        `This idempotency key was used before with another request to job ${jobId}. Use a new key for a new request.`,
      );
    case 'changed-since':
      throw new ApiProblem('request_refused', `Not done: ${outcome.reason}.`);
    case 'too-late':
      throw new ApiProblem(
        'not_ready',
        'The request could not be recorded in the time that its caller waits. Nothing was changed; ask again.',
      );
    default:
      return outcome;
  }
}
