import { HttpException } from '@nestjs/common';
import { InvalidFormField, type ProblemCode } from '@phaseline/client';
import { UnknownDefinition, UnusableAgent } from '@phaseline/definitions';
import { isFromNewerRelease } from '@phaseline/domain';
import { BlobCorrupt, BlobNotStored, ContentErased, isUnreachable, MasterKeyMissing } from '@phaseline/event-store';
import { isUnreadableJob } from '@phaseline/repository';
import { DocumentRefused, IdempotencyKeyReused, InputsMissing } from '@phaseline/orchestration';
import { QueueUnavailable } from '@phaseline/queue';
import { BlobMissing, InvalidPath } from '@phaseline/workspace';
import { ToolsUnlisted } from '../agents/tool-listing.js';
import { ApiProblem } from './api-problem.js';

/** Value of retry-after, in seconds, while a dependency of this service is unreachable. */
const RETRY_AFTER_SECONDS = '2';

/**
 * Converts an error to what the caller is told. Only texts written for callers are passed on; for any other error the
 * caller receives only the id under which the server logged it.
 */
export function toApiProblem(error: unknown, requestId: string): ApiProblem {
  if (error instanceof ApiProblem) return error;
  if (error instanceof UnusableAgent || (error instanceof UnknownDefinition && error.kind === 'agent'))
    return new ApiProblem('unknown_agent', error.message, { cause: error });
  if (error instanceof IdempotencyKeyReused)
    return new ApiProblem('idempotency_conflict', toSentence(error.message), { cause: error });
  if (error instanceof UnknownDefinition && error.kind === 'model')
    return new ApiProblem('unknown_model', error.message, { cause: error });
  if (error instanceof InputsMissing)
    return new ApiProblem('inputs_missing', toSentence(error.message), {
      cause: error,
      errors: error.missing.map(({ path, message }) => ({ path, message: `expected ${message}` })),
    });
  if (error instanceof DocumentRefused)
    return new ApiProblem('document_unusable', toSentence(error.message), { cause: error });
  if (error instanceof ContentErased)
    return new ApiProblem('content_erased', toSentence(error.message), { cause: error });
  if (error instanceof BlobCorrupt || error instanceof BlobNotStored || error instanceof BlobMissing) {
    return new ApiProblem(
      'file_damaged',
      'The stored content does not match the log: it was altered or removed in the database. ' +
        'An operator can identify it with phaseline audit verify and restore it from a backup.',
      { cause: error },
    );
  }
  if (error instanceof MasterKeyMissing)
    return new ApiProblem('encryption_unavailable', toSentence(error.message), { cause: error });
  if (error instanceof InvalidFormField) {
    return new ApiProblem('invalid_request', `The request is not valid: ${error.message}`, {
      cause: error,
      errors: [{ path: error.field, message: error.message }],
    });
  }
  if (error instanceof InvalidPath) return new ApiProblem('invalid_request', error.message, { cause: error });
  if (isFromNewerRelease(error)) {
    return new ApiProblem(
      'not_ready',
      `This replica is of an older release than the events of the job, and cannot read it: event ${error.event.version} of ` +
        `stream ${error.event.streamId} is ${error.event.type}, version ${error.event.schemaVersion}. Nothing is wrong with the job: ` +
        'retry, because a replica of the newer release may respond, or upgrade this one. If there never was a newer release, the ' +
        'event was written by hand: fork the job at a position before it, and have an operator run phaseline audit verify.',
      { cause: error, headers: { 'retry-after': RETRY_AFTER_SECONDS } },
    );
  }
  if (isUnreadableJob(error)) {
    return new ApiProblem(
      'job_unreadable',
      `${toSentence(error.message)} The job can be cancelled, and forked at a position before that event; other jobs are not affected.`,
      { cause: error },
    );
  }
  if (error instanceof ToolsUnlisted) {
    return new ApiProblem('not_ready', toSentence(error.message), {
      cause: error,
      headers: { 'retry-after': RETRY_AFTER_SECONDS },
    });
  }
  if (isUnreachable(error) || error instanceof QueueUnavailable) {
    return new ApiProblem(
      'not_ready',
      'The database or the queues cannot be reached at the moment. Nothing was lost; try again shortly.',
      {
        cause: error,
        headers: { 'retry-after': RETRY_AFTER_SECONDS },
      },
    );
  }
  return (
    problemOfStatus(statusOf(error), error) ??
    new ApiProblem(
      'internal',
      `Something went wrong on the server. Its log has the reason under request ${requestId}.`,
      { cause: error },
    )
  );
}

/**
 * Creates the problem for an error of the framework by its status. Its message would reveal internals, so callers get
 * texts of our own.
 */
function problemOfStatus(status: number | undefined, cause: unknown): ApiProblem | undefined {
  const createProblem = (code: ProblemCode, message: string): ApiProblem => new ApiProblem(code, message, { cause });
  switch (status) {
    case 404:
    case 405:
      return createProblem(
        'route_not_found',
        'There is no route with this path and method. GET /openapi.json lists all routes.',
      );
    case 413:
      return createProblem('request_too_large', 'The request is larger than this server accepts.');
    case 415:
      return createProblem(
        'unsupported_media_type',
        'This media type is not supported here. Send application/json; POST /v1/jobs also accepts multipart/form-data.',
      );
    case 429:
      return createProblem('rate_limited', 'Too many requests. Try again shortly.');
    case 503:
      return createProblem('not_ready', 'The server is starting or stopping. Try again shortly.');
  }
  if (status === undefined || status < 400 || status > 499) return undefined;
  return createProblem(
    'invalid_request',
    `The request cannot be understood${cause instanceof Error ? `: ${cause.message}` : ''}.`,
  );
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return undefined;
  // Only errors of Fastify itself: others that happen to have a status were not written for callers.
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  return typeof code === 'string' && code.startsWith('FST_') && typeof statusCode === 'number' ? statusCode : undefined;
}

function toSentence(text: string): string {
  const ended = /[.!?]$/.test(text) ? text : `${text}.`;
  return ended.charAt(0).toUpperCase() + ended.slice(1);
}
