import { HttpException } from '@nestjs/common';
import { InvalidFormField, type ProblemCode } from '@phaseline/client';
import { UnknownDefinition, UnusableAgent } from '@phaseline/definitions';
import { isFromNewerRelease } from '@phaseline/domain';
import { BlobCorrupt, BlobNotStored, ContentErased, isUnreachable, MasterKeyMissing } from '@phaseline/event-store';
import { IdentityRefused } from '@phaseline/identity';
import { isUnreadableJob } from '@phaseline/repository';
import {
  AgentsUnusable,
  DocumentRefused,
  IdempotencyKeyReused,
  InputsMissing,
  PersonNotAllowed,
  RepositoryUnavailable,
  VerifierRefused,
} from '@phaseline/orchestration';
import { QueueUnavailable } from '@phaseline/queue';
import { BlobMissing, InvalidPath } from '@phaseline/workspace';
import { ToolsUnlisted } from '../agents/tool-listing.js';
import { ApiProblem, type ApiProblemOptions } from './api-problem.js';

/** Sent while a dependency of this service is unreachable; in seconds. */
const RETRY_LATER = { headers: { 'retry-after': '2' } };

/**
 * Converts an error to what the caller is told. Only texts written for callers are passed on; for any other error the
 * caller receives only the id under which the server logged it.
 */
export function toApiProblem(error: unknown, requestId: string): ApiProblem {
  if (error instanceof ApiProblem) return error;
  const createProblem = (code: ProblemCode, message: string, options?: ApiProblemOptions): ApiProblem =>
    new ApiProblem(code, message, { cause: error, ...options });
  if (error instanceof UnusableAgent || (error instanceof UnknownDefinition && error.kind === 'agent'))
    return createProblem('unknown_agent', error.message);
  if (error instanceof AgentsUnusable) return createProblem('unknown_agent', toSentence(error.message));
  if (error instanceof IdempotencyKeyReused) return createProblem('idempotency_conflict', toSentence(error.message));
  if (error instanceof UnknownDefinition && error.kind === 'model')
    return createProblem('unknown_model', error.message);
  if (error instanceof InputsMissing)
    return createProblem('inputs_missing', toSentence(error.message), {
      errors: error.missing.map(({ path, message }) => ({ path, message: `expected ${message}` })),
    });
  if (error instanceof PersonNotAllowed) return createProblem('forbidden', toSentence(error.message));
  if (error instanceof RepositoryUnavailable) return createProblem('repository_unavailable', toSentence(error.message));
  if (error instanceof VerifierRefused) return createProblem('verifier_invalid', toSentence(error.message));
  if (error instanceof DocumentRefused) return createProblem('document_unusable', toSentence(error.message));
  if (error instanceof ContentErased) return createProblem('content_erased', toSentence(error.message));
  if (error instanceof BlobCorrupt || error instanceof BlobNotStored || error instanceof BlobMissing) {
    return createProblem(
      'file_damaged',
      'The stored content does not match the log: it was altered or removed in the database. ' +
        'An operator can identify it with phaseline audit verify and restore it from a backup.',
    );
  }
  if (error instanceof MasterKeyMissing) return createProblem('encryption_unavailable', toSentence(error.message));
  if (error instanceof IdentityRefused) return createProblem(error.code, error.message);
  if (error instanceof InvalidFormField) {
    return createProblem('invalid_request', `The request is not valid: ${error.message}`, {
      errors: [{ path: error.field, message: error.message }],
    });
  }
  if (error instanceof InvalidPath) return createProblem('invalid_request', error.message);
  if (isFromNewerRelease(error)) {
    return createProblem(
      'not_ready',
      `This replica is of an older release than the events of the job, and cannot read it: event ${error.event.version} of ` +
        `stream ${error.event.streamId} is ${error.event.type}, version ${error.event.schemaVersion}. Nothing is wrong with the job: ` +
        'retry, because a replica of the newer release may respond, or upgrade this one. If there never was a newer release, the ' +
        'event was written by hand: fork the job at a position before it, and have an operator run phaseline audit verify.',
      RETRY_LATER,
    );
  }
  if (isUnreadableJob(error)) {
    return createProblem(
      'job_unreadable',
      `${toSentence(error.message)} The job can be cancelled, and forked at a position before that event; other jobs are not affected.`,
    );
  }
  if (error instanceof ToolsUnlisted) {
    return createProblem('not_ready', toSentence(error.message), RETRY_LATER);
  }
  if (isUnreachable(error) || error instanceof QueueUnavailable) {
    return createProblem(
      'not_ready',
      'The database or the queues cannot be reached at the moment. Nothing was lost; try again shortly.',
      RETRY_LATER,
    );
  }
  return (
    problemOfStatus(statusOf(error), error) ??
    createProblem('internal', `Something went wrong on the server. Its log has the reason under request ${requestId}.`)
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
