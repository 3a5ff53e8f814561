import { CodedError } from '@phaseline/basics';
import type { JobId } from '@phaseline/contracts';
import { isFromNewerRelease, isEncryptedJob } from '@phaseline/domain';
import { ContentErased, isUnreachable, MasterKeyMissing, DecryptionFailed } from '@phaseline/event-store';

/** Replaces an error of work on an encrypted job. The original message may contain content, and errors end up in logs and dead letters. */
export class ContentWithheld extends CodedError {
  readonly code: string;
  readonly retryable: boolean;

  constructor(
    readonly jobId: JobId,
    error: unknown,
  ) {
    const kind = error instanceof Error ? error.constructor.name : typeof error;
    const { code, retryable } = (error ?? {}) as { code?: unknown; retryable?: unknown };
    const safeCode = typeof code === 'string' && /^[A-Za-z0-9_]{1,64}$/.test(code) ? code : 'content_withheld';
    super(
      `work on the encrypted job ${jobId} failed (${kind}, ${safeCode}). The message is withheld because it may contain content of the job`,
    );
    this.code = safeCode;
    this.retryable = retryable !== false;
    // Stack frames help to find the place and contain no content.
    const frames =
      error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line)) : [];
    this.stack = [`${this.name}: ${this.message}`, ...frames].join('\n');
  }
}

/** Whether the error's message never contains content. Callers also distinguish these errors by type. */
function isHarmless(error: unknown): boolean {
  return (
    error instanceof ContentWithheld ||
    error instanceof ContentErased ||
    error instanceof MasterKeyMissing ||
    error instanceof DecryptionFailed ||
    isUnreachable(error) ||
    isFromNewerRelease(error)
  );
}

/** Runs work on a job. For an encrypted job, errors that may contain content are replaced by ContentWithheld. */
export async function withholdContent<Result>(jobId: JobId, work: () => Promise<Result>): Promise<Result> {
  if (!isEncryptedJob(jobId)) return work();
  try {
    return await work();
  } catch (error) {
    throw isHarmless(error) ? error : new ContentWithheld(jobId, error);
  }
}
