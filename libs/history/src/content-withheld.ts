import { isFromNewerRelease, isSealedJob } from '@phaseline/domain';
import { ContentErased, isUnreachable, MasterKeyMissing, SealBroken } from '@phaseline/event-store';

/** Something failed over an encrypted job. What exactly may repeat its content, and errors end up in logs and dead letters. */
export class ContentWithheld extends Error {
  override readonly name = 'ContentWithheld';
  readonly code: string;
  readonly retryable: boolean;

  constructor(
    readonly jobId: string,
    error: unknown,
  ) {
    const kind = error instanceof Error ? error.constructor.name : typeof error;
    const { code, retryable } = (error ?? {}) as { code?: unknown; retryable?: unknown };
    const known = typeof code === 'string' && /^[A-Za-z0-9_]{1,64}$/.test(code) ? code : 'content_withheld';
    super(
      `work on the encrypted job ${jobId} failed (${kind}, ${known}); its message is withheld, since it may hold content`,
    );
    this.code = known;
    this.retryable = retryable !== false;
    // Where it happened helps, and holds no content.
    const frames =
      error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line)) : [];
    this.stack = [`${this.name}: ${this.message}`, ...frames].join('\n');
  }
}

/** What these say was written without a look at content, and callers tell them apart. */
function isHarmless(error: unknown): boolean {
  return (
    error instanceof ContentWithheld ||
    error instanceof ContentErased ||
    error instanceof MasterKeyMissing ||
    error instanceof SealBroken ||
    isUnreachable(error) ||
    isFromNewerRelease(error)
  );
}

/** Does work on a job. What it throws says nothing of what an encrypted job holds; of any other it is passed on as it is. */
export async function withholdingContent<Result>(jobId: string, work: () => Promise<Result>): Promise<Result> {
  if (!isSealedJob(jobId)) return work();
  try {
    return await work();
  } catch (error) {
    throw isHarmless(error) ? error : new ContentWithheld(jobId, error);
  }
}
