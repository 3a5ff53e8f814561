import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { CALLER_TIMEOUT_HEADER, IDEMPOTENCY_KEY_HEADER } from '@phaseline/client';
import { getActorName, idempotencyKeySchema, type Actor, type JobId } from '@phaseline/contracts';
import { toActor } from '@phaseline/identity';
import { getCaller } from '@phaseline/service';
import type { ControlOptions, ControlOutcome } from '@phaseline/orchestration';
import type { FastifyRequest } from 'fastify';
import { ApiProblem, jobNotFound } from '../problem/api-problem.js';
import { invalidRequest } from '../problem/validation.pipe.js';
import { ageOf } from './arrivals.js';

/**
 * Information about a control request besides its body: who sends it, its idempotency key, and how long the caller
 * waits.
 */
export interface ControlHeaders extends Pick<ControlOptions, 'idempotencyKey' | 'isStillWanted'> {
  readonly sender: Actor;
  /** Name of the sender, or of the principal for whom it acts. */
  readonly actor: string;
}

/** Parameter decorator that provides `ControlHeaders`. */
export const ControlHeadersParam = createParamDecorator((_: unknown, context: ExecutionContext): ControlHeaders =>
  readOrder(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** Method decorator that documents these headers. */
export const ApiControlHeaders = (): MethodDecorator =>
  applyDecorators(
    ApiHeader({
      name: IDEMPOTENCY_KEY_HEADER,
      required: false,
      description:
        'Repeated requests with the same key and content are recorded once; each repeat gets the same response as the first. ' +
        'A request that changed nothing the first time is decided again.',
    }),
    ApiHeader({
      name: CALLER_TIMEOUT_HEADER,
      required: false,
      description:
        'How long the caller waits for the response, in milliseconds. The request is dropped (`not_ready`) when it could not be ' +
        'recorded within that time of its arrival, or when the caller has disconnected.',
    }),
  );

function readOrder(request: FastifyRequest): ControlHeaders {
  const idempotencyKey = request.headers[IDEMPOTENCY_KEY_HEADER];
  if (idempotencyKey !== undefined && !idempotencyKeySchema.safeParse(idempotencyKey).success)
    throw invalidRequest([
      { path: IDEMPOTENCY_KEY_HEADER, message: 'expected 1 to 200 printable ASCII characters without spaces' },
    ]);
  const waits = request.headers[CALLER_TIMEOUT_HEADER];
  if (waits !== undefined && !(typeof waits === 'string' && /^[1-9]\d{0,11}$/.test(waits)))
    throw invalidRequest([{ path: CALLER_TIMEOUT_HEADER, message: 'expected a whole number of milliseconds' }]);
  const waitMs = waits === undefined ? Infinity : Number(waits);
  const sender = toActor(getCaller(request));
  return {
    sender,
    actor: getActorName(sender),
    ...(typeof idempotencyKey === 'string' ? { idempotencyKey } : {}),
    isStillWanted: () => ageOf(request) <= waitMs && !request.raw.socket.destroyed,
  };
}

type JobOutcome = Extract<ControlOutcome, { kind: 'recorded' | 'nothing-to-do' | 'refused' }>;

/** Returns the outcome if the job decided it. Throws ApiProblem for all others. */
export function requireJobOutcome(jobId: JobId, outcome: ControlOutcome): JobOutcome {
  switch (outcome.kind) {
    case 'no-such-job':
      throw jobNotFound(jobId);
    case 'key-conflict':
      throw new ApiProblem(
        'idempotency_conflict',
        `This idempotency key was used before with another request to job ${jobId}. Use a new key for a new request.`,
      );
    case 'file-changed':
      throw new ApiProblem('file_changed', `Not done: ${outcome.reason}. Read the file and send the request again.`);
    case 'changed-since':
      throw new ApiProblem('request_refused', `Not done: ${outcome.reason}.`);
    case 'too-late':
      throw new ApiProblem(
        'not_ready',
        'The request could not be recorded before its caller stopped waiting. Nothing was changed; send it again.',
      );
    default:
      return outcome;
  }
}
