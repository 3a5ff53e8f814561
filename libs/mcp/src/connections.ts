import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { ToolError, type McpServer, type JobId } from '@phaseline/contracts';
import type { CallSecrets } from '@phaseline/tools';
import { connect, fillServerValues, type ConnectOptions, type Connection } from './connect.js';

/** Idle time after which a connection is closed. The next call connects again. */
const IDLE_TIMEOUT_MS = 120_000;

interface ConnectionEntry {
  readonly opening: Promise<Connection>;
  users: number;
  /** Whether a call timed out: the server may still be working, or hang forever. */
  isSuspect?: boolean;
  idleTimer?: NodeJS.Timeout;
}

/** Connections of running jobs. Each is kept between the calls of one job, because some servers keep state. */
export class Connections {
  private readonly entries = new Map<string, ConnectionEntry>();

  constructor(private readonly options: ConnectOptions) {}

  /** Runs `work` with the connection of a job to a server. Connects again if the previous connection was lost. */
  async use<T>(
    jobId: JobId,
    server: McpServer,
    secrets: CallSecrets,
    signal: AbortSignal,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const { tools: _tools, ...settings } = server;
    const values = await fillServerValues(server, secrets, this.options);
    // With the values, so that a replaced secret opens a new connection.
    const key = JSON.stringify([jobId, settings, values]);
    const existing = this.entries.get(key);
    if (existing && !(await isUsable(existing))) this.drop(key, existing);
    const entry =
      this.entries.get(key) ?? this.open(key, () => connect(server, values, secrets.mask, this.options, signal));
    entry.users += 1;
    clearTimeout(entry.idleTimer);
    try {
      return await work(await entry.opening);
    } catch (error) {
      // A server restarted at the same URL no longer knows this session.
      if (!signal.aborted && isConnectionLost(error)) this.drop(key, entry);
      if (isTimeout(error)) entry.isSuspect = true;
      throw error;
    } finally {
      entry.users -= 1;
      if (entry.users === 0 && this.entries.get(key) === entry) {
        entry.idleTimer = setTimeout(() => this.drop(key, entry), IDLE_TIMEOUT_MS);
        entry.idleTimer.unref();
      }
    }
  }

  /** Number of connected servers. */
  get size(): number {
    return this.entries.size;
  }

  async close(): Promise<void> {
    const all = [...this.entries];
    for (const [key, entry] of all) this.drop(key, entry);
    await Promise.allSettled(all.map(async ([, { opening }]) => (await opening).close()));
  }

  private open(key: string, connectToServer: () => Promise<Connection>): ConnectionEntry {
    const entry: ConnectionEntry = { opening: connectToServer(), users: 0 };
    entry.opening.catch(() => this.drop(key, entry));
    this.entries.set(key, entry);
    return entry;
  }

  private drop(key: string, entry: ConnectionEntry): void {
    clearTimeout(entry.idleTimer);
    if (this.entries.get(key) === entry) this.entries.delete(key);
    entry.opening.then((connection) => connection.close()).catch(() => undefined);
  }
}

/** Ping timeout, in milliseconds, for a server on which a call timed out. Without a response, it is restarted. */
const PING_TIMEOUT_MS = 2_000;

/** Whether the connection is open and, after a timeout, the server still responds to a ping. */
async function isUsable(entry: ConnectionEntry): Promise<boolean> {
  try {
    const { client, isOpen } = await entry.opening;
    if (!isOpen) return false;
    if (entry.isSuspect) await client.ping({ timeout: PING_TIMEOUT_MS });
    entry.isSuspect = false;
    return true;
  } catch {
    return false;
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
}

/** Whether a failure concerns the connection, not only one call. */
function isConnectionLost(error: unknown): boolean {
  if (error instanceof ToolError) return error.retryable;
  if (error instanceof ProtocolError) return false;
  return !isTimeout(error);
}
