import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PhaselineClient, PhaselineClientError, type InboxItem } from '@phaseline/client';
import type { CallId, JobId } from '@phaseline/contracts';
import { FaultPointNotReached } from '../faults/fault-point-not-reached.js';

/** A decision that a person sent, and was told about. */
export interface SentDecision {
  readonly jobId: JobId;
  readonly callId: CallId;
  /** The answer to a question, or what was decided about an approval. */
  readonly value: string;
  /** Whether the service said that it recorded the decision. */
  readonly isAccepted: boolean;
}

const POLL_INTERVAL_MS = 150;
const REQUEST_TIMEOUT_MS = 10_000;
/** A decision that no orchestrator answers within this time fails the run. */
const DECIDE_TIMEOUT_MS = 120_000;
/** Maximum time until jobs wait for people who decide nothing. */
const ASK_TIMEOUT_MS = 150_000;

type Kind = 'question' | 'approval';

/**
 * Two people who read the inbox and decide everything in it at the same time, differently, and at different orchestrators. Each repeats a request
 * with its key until it is answered, so exactly one of them must win, whatever fails meanwhile.
 */
export class People {
  /** Every decision that was answered. */
  readonly decisions: SentDecision[] = [];
  private readonly stopping = new AbortController();
  /** Entries that were decided, or are being decided. */
  private readonly known = new Set<string>();
  private readonly deciding = new Set<Promise<void>>();
  private readonly held = new Set<string>();
  private loop: Promise<void> | undefined;
  private failure: unknown;

  constructor(private readonly apiUrls: readonly string[]) {}

  start(): void {
    this.loop = this.run();
  }

  /** Stops reading the inbox, waits for open requests, and throws the first failure. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.loop;
    await Promise.all(this.deciding);
    if (this.failure) throw this.failure;
  }

  /** Lets things wait until an approval and a question do. Throws FaultPointNotReached if nothing waits in time. */
  async holdUntilAsked(): Promise<void> {
    // An agent asks before it pays, so questions are answered until a payment waits.
    for (const kind of ['approval', 'question'] as const) {
      this.held.add(kind);
      await this.waitFor(kind);
    }
  }

  release(): void {
    this.held.clear();
  }

  /** Returns what still waits, according to the first orchestrator that answers. */
  async readInbox(): Promise<readonly InboxItem[]> {
    for (const deadline = Date.now() + DECIDE_TIMEOUT_MS; ; await sleep(POLL_INTERVAL_MS)) {
      for (const at of this.apiUrls.keys()) {
        const items = await this.tryReadInbox(at);
        if (items) return items;
      }
      if (Date.now() > deadline) throw new Error('no orchestrator returned the inbox');
    }
  }

  private async waitFor(kind: Kind): Promise<void> {
    for (const deadline = Date.now() + ASK_TIMEOUT_MS; ; await sleep(POLL_INTERVAL_MS)) {
      const waiting = (await this.readInbox()).filter((item) => item.kind === kind);
      if (waiting.some((item) => !this.known.has(toName(item)))) return;
      if (Date.now() > deadline) throw new FaultPointNotReached(`no ${kind} waited for a person`);
    }
  }

  private async run(): Promise<void> {
    for (let round = 0; !this.stopping.signal.aborted; round += 1) {
      for (const item of (await this.tryReadInbox(round)) ?? []) {
        const { callId } = item;
        // Blocked jobs and todos are in the inbox without a call to decide.
        if (callId === undefined || this.held.has(item.kind) || this.known.has(toName(item))) continue;
        this.known.add(toName(item));
        const work = this.decideTwice({ ...item, callId })
          .catch((error: unknown) => {
            this.failure ??= error;
          })
          .finally(() => this.deciding.delete(work));
        this.deciding.add(work);
      }
      await sleep(POLL_INTERVAL_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
  }

  private async tryReadInbox(at: number): Promise<readonly InboxItem[] | undefined> {
    const items: InboxItem[] = [];
    try {
      for await (const item of this.clientAt(at).inbox()) items.push(item);
      return items;
    } catch {
      return undefined;
    }
  }

  private async decideTwice({
    jobId,
    callId,
    approval,
    question,
  }: InboxItem & { readonly callId: CallId }): Promise<void> {
    const values = question?.options ?? ['approved', 'refused'];
    await Promise.all(
      values.map((value, index) =>
        this.decide({ jobId, callId, value }, index, (client, key) => {
          const options = { idempotencyKey: key };
          if (question)
            return client.control(
              jobId,
              'answer',
              { callId, questionHash: question.questionHash, answer: value },
              options,
            );
          if (value === 'refused') return client.control(jobId, 'refuse', { callId, reason: 'too dear' }, options);
          return client.control(jobId, 'approve', { callId, argumentsHash: approval!.argumentsHash }, options);
        }),
      ),
    );
  }

  /** Sends one decision to one orchestrator after the other until one accepts or refuses it. */
  private async decide(
    decision: Omit<SentDecision, 'isAccepted'>,
    first: number,
    send: (client: PhaselineClient, key: string) => Promise<unknown>,
  ): Promise<void> {
    const key = randomUUID();
    const from = Date.now();
    for (let at = first; ; at += 1) {
      try {
        await send(this.clientAt(at), key);
        this.decisions.push({ ...decision, isAccepted: true });
        return;
      } catch (error) {
        if (error instanceof PhaselineClientError && error.code === 'already_decided') {
          this.decisions.push({ ...decision, isAccepted: false });
          return;
        }
        if (Date.now() - from > DECIDE_TIMEOUT_MS) throw error;
        await sleep(100);
      }
    }
  }

  private clientAt(at: number): PhaselineClient {
    return new PhaselineClient({
      baseUrl: this.apiUrls[at % this.apiUrls.length]!,
      retries: 0,
      timeoutMs: REQUEST_TIMEOUT_MS,
    });
  }
}

function toName({ jobId, callId }: Pick<InboxItem, 'jobId' | 'callId'>): string {
  return `${jobId}/${callId}`;
}
