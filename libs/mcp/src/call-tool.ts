import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { ToolError } from '@phaseline/contracts';
import { findMcpTool } from '@phaseline/pack-specs';
import { CallSecrets, type RemoteToolContext, type ToolOutcome } from '@phaseline/tools';
import { z } from 'zod';
import { describeError, type Connection } from './connect.js';
import type { Connections } from './connections.js';
import { toToolOutcome } from './tool-outcome.js';

/** Calls a tool of a server by the name offered to the model. Throws ToolError, or the reason of an aborted signal. */
export async function callTool(
  context: RemoteToolContext,
  name: string,
  input: Record<string, unknown>,
  connections: Connections,
): Promise<ToolOutcome> {
  const found = findMcpTool(context.settings, name);
  if (!found) throw new ToolError('unknown_tool', `No MCP server of this agent has the tool ${name}.`);
  const { serverName, server, tool } = found;
  const { jobId, callId, signal, secrets = new CallSecrets() } = context;
  let connection: Connection | undefined;
  try {
    return await connections.use(jobId, server, secrets, signal, async (opened) => {
      connection = opened;
      const limits = { signal, timeout: server.timeoutMs, maxTotalTimeout: server.timeoutMs };
      // Accepts any object: `outcomeOf` validates the result, instead of the client checking it against the declared schema.
      const params = { name: tool.name, arguments: input };
      const result = await opened.client.request({ method: 'tools/call', params }, z.looseObject({}), limits);
      return toToolOutcome(result, `work/mcp/${serverName}/${callId}`, opened.removeSecrets);
    });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ToolError) throw error;
    throw toToolError(error, serverName, connection);
  } finally {
    for (const made of connection?.takeConnections() ?? [])
      context.recordEvent?.({ type: 'ConnectionRecorded', data: { callId, ...made } });
  }
}

function toToolError(error: unknown, server: string, connection: Connection | undefined): ToolError {
  const clean = (text: string): string => connection?.removeSecrets(text) ?? text;
  const cause = findToolError(error);
  if (cause)
    return new ToolError(cause.code, `The MCP server ${server}: ${cause.message}`, { retryable: cause.retryable });
  if (error instanceof ProtocolError)
    return new ToolError('mcp_refused', `The MCP server ${server} rejected the call: ${clean(error.message)}`);
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return new ToolError('timeout', `The MCP server ${server} did not respond within the time limit.`, {
      retryable: true,
      outcomeUnknown: true,
    });
  const lastOutput = connection?.readLastStderr();
  const outputNote = lastOutput ? ` Its last output: ${lastOutput}` : '';
  return new ToolError(
    connection && !connection.isOpen ? 'mcp_connection_lost' : 'mcp_unreachable',
    `The MCP server ${server} cannot be used: ${clean(describeError(error))}.${outputNote}`,
    // A tool with the effect `once` is never retried, regardless of `retryable`.
    { retryable: true, outcomeUnknown: connection !== undefined && mayHaveArrived(error) },
  );
}

/** Whether the request may have reached the server although no response arrived. False if no connection was made or the request was refused. */
function mayHaveArrived(error: unknown): boolean {
  if (error instanceof SdkHttpError) return error.status === undefined || error.status >= 500;
  for (let depth = 0, cause = error; depth < 6 && cause instanceof Error; depth += 1, cause = cause.cause)
    if ('code' in cause && ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'].includes(String(cause.code))) return false;
  return true;
}

/** Finds an error of our own, such as a refused address, that the client wrapped. */
function findToolError(error: unknown): ToolError | undefined {
  for (let depth = 0, cause = error; depth < 6 && cause instanceof Error; depth += 1, cause = cause.cause)
    if (cause instanceof ToolError) return cause;
  return undefined;
}
