import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { ToolError, type RunnerContext, type ToolOutcome } from '@phaseline/tools';
import { z } from 'zod';
import { messageOf, type Connection } from './connect.js';
import type { Connections } from './connections.js';
import { findTool } from './listed-tools.js';
import { outcomeOf } from './outcome.js';

/** Calls a tool of a server by the name that the model knows. Throws ToolError, and the reason of the signal. */
export async function callTool(
  context: RunnerContext,
  name: string,
  input: Record<string, unknown>,
  connections: Connections,
): Promise<ToolOutcome> {
  const found = findTool(context.settings, name);
  if (!found) throw new ToolError('unknown_tool', `No MCP server of this agent has the tool ${name}.`);
  const { serverName, server, tool } = found;
  const { jobId, callId, signal } = context;
  let connection: Connection | undefined;
  try {
    return await connections.use(jobId, server, signal, async (opened) => {
      connection = opened;
      const limits = { signal, timeout: server.timeoutMs, maxTotalTimeout: server.timeoutMs };
      // Asked for as it comes: the shape of the answer is judged here and not by what the server declared.
      const params = { name: tool.name, arguments: input };
      const answer = await opened.client.request({ method: 'tools/call', params }, z.looseObject({}), limits);
      return outcomeOf(answer, `work/mcp/${serverName}/${callId}`, opened.clean);
    });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ToolError) throw error;
    throw failureOf(error, serverName, connection);
  }
}

function failureOf(error: unknown, server: string, connection: Connection | undefined): ToolError {
  const clean = (text: string): string => connection?.clean(text) ?? text;
  const cause = toolErrorIn(error);
  if (cause)
    return new ToolError(cause.code, `The MCP server ${server}: ${cause.message}`, { retryable: cause.retryable });
  if (error instanceof ProtocolError)
    return new ToolError('mcp_refused', `The MCP server ${server} refused the call: ${clean(error.message)}`);
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return new ToolError('timeout', `The MCP server ${server} did not answer in time.`, {
      retryable: true,
      outcomeUnknown: true,
    });
  const wrote = connection?.complaint();
  const said = wrote ? ` It wrote last: ${wrote}` : '';
  return new ToolError(
    connection && !connection.isOpen ? 'mcp_server_lost' : 'mcp_unreachable',
    `The MCP server ${server} cannot be used: ${clean(messageOf(error))}.${said}`,
    // A tool that must not run twice is never tried again, whatever this says.
    { retryable: true, outcomeUnknown: connection !== undefined && mayHaveArrived(error) },
  );
}

/** Whether the request may have reached the server, although no answer came: not when no connection was made, or it was refused. */
function mayHaveArrived(error: unknown): boolean {
  if (error instanceof SdkHttpError) return error.status === undefined || error.status >= 500;
  for (let depth = 0, one = error; depth < 6 && one instanceof Error; depth += 1, one = one.cause)
    if ('code' in one && ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'].includes(String(one.code))) return false;
  return true;
}

/** A refusal of ours, such as of an address, that came back through the client. */
function toolErrorIn(error: unknown): ToolError | undefined {
  for (let depth = 0, one = error; depth < 6 && one instanceof Error; depth += 1, one = one.cause)
    if (one instanceof ToolError) return one;
  return undefined;
}
