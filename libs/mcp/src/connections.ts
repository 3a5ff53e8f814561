import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { McpServer } from '@phaseline/domain';
import { ToolError } from '@phaseline/tools';
import { connect, type ConnectOptions, type Connection } from './connect.js';

/** A server that nobody called for so long is left; the next call starts or reaches it again. */
const IDLE_MS = 120_000;

interface Held {
  readonly opening: Promise<Connection>;
  users: number;
  /** A call was not answered in time: the server may be at it still, or hang for good. */
  suspect?: boolean;
  idle?: NodeJS.Timeout;
}

/** The servers of running jobs, each kept between the calls of one job, because some of them remember what was done. */
export class Connections {
  private readonly held = new Map<string, Held>();

  constructor(
    private readonly options: ConnectOptions,
    private readonly idleMs = IDLE_MS,
  ) {}

  /** Works with a server of a job. One that has gone since is started or reached anew. */
  async use<T>(
    jobId: string,
    server: McpServer,
    signal: AbortSignal,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const { tools: _tools, ...named } = server;
    const key = JSON.stringify([jobId, named]);
    const known = this.held.get(key);
    if (known && !(await isUsable(known))) this.drop(key, known);
    const held = this.held.get(key) ?? this.open(key, server, signal);
    held.users += 1;
    clearTimeout(held.idle);
    try {
      return await work(await held.opening);
    } catch (error) {
      // A server that was started anew at the same place does not know this session any more.
      if (!signal.aborted && isLost(error)) this.drop(key, held);
      if (isTimeout(error)) held.suspect = true;
      throw error;
    } finally {
      held.users -= 1;
      if (held.users === 0 && this.held.get(key) === held) {
        held.idle = setTimeout(() => this.drop(key, held), this.idleMs);
        held.idle.unref();
      }
    }
  }

  /** How many servers are connected. */
  get size(): number {
    return this.held.size;
  }

  async close(): Promise<void> {
    const all = [...this.held];
    for (const [key, held] of all) this.drop(key, held);
    await Promise.allSettled(all.map(async ([, { opening }]) => (await opening).close()));
  }

  private open(key: string, server: McpServer, signal: AbortSignal): Held {
    const held: Held = { opening: connect(server, this.options, signal), users: 0 };
    held.opening.catch(() => this.drop(key, held));
    this.held.set(key, held);
    return held;
  }

  private drop(key: string, held: Held): void {
    clearTimeout(held.idle);
    if (this.held.get(key) === held) this.held.delete(key);
    held.opening.then((one) => one.close()).catch(() => undefined);
  }
}

/** How long a server that let a call time out has to answer a ping, in milliseconds, before it is started again. */
const PING_MS = 2_000;

/** Whether a server is there, and still answers where it did not lately. */
async function isUsable(held: Held): Promise<boolean> {
  try {
    const { client, isOpen } = await held.opening;
    if (!isOpen) return false;
    if (held.suspect) await client.ping({ timeout: PING_MS });
    held.suspect = false;
    return true;
  } catch {
    return false;
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
}

/** Whether a failure is one of the connection, and not of one call. */
function isLost(error: unknown): boolean {
  if (error instanceof ToolError) return error.retryable;
  if (error instanceof ProtocolError) return false;
  return !isTimeout(error);
}
