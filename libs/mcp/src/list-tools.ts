import { toWellFormedText } from '@phaseline/basics';
import type { McpServer, McpTool, ToolSettings } from '@phaseline/contracts';
import { z } from 'zod';
import { McpUnavailable } from './mcp-unavailable.js';
import { CallSecrets } from '@phaseline/tools';
import { connect, describeError, fillServerValues, type ConnectOptions, type Connection } from './connect.js';
import { createOfferedName } from './offered-name.js';
import { toParametersSchema } from './parameters.js';

/** Timeout for connecting and listing. Long enough for a package manager to download the server first. */
const LIST_TIMEOUT_MS = 60_000;
/** Maximum number of tools per server. More would fill the context of every call. */
const MAX_TOOLS = 128;
/** Maximum number of tools of a server whose tools enter the prompt only after a search. */
const MAX_TOOLS_ON_DEMAND = 1_000;
const MAX_PAGES = 50;
const MAX_DESCRIPTION_CHARACTERS = 2_000;

/** Tools are validated one by one, so that a malformed one does not affect the others. */
const pageSchema = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });
const toolSchema = z.looseObject({
  name: z.string().min(1),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.unknown().optional(),
  annotations: z
    .looseObject({ readOnlyHint: z.boolean().optional(), idempotentHint: z.boolean().optional() })
    .optional()
    .catch(undefined),
});

/**
 * Lists the tools of every MCP server and returns the settings with these tools. `onListed` is called with the name of
 * each listed server. Throws McpUnavailable.
 */
export async function listAllTools(
  settings: ToolSettings,
  options: ConnectOptions,
  onListed: (server: string) => void = () => undefined,
): Promise<ToolSettings> {
  const servers = Object.entries(settings.mcp?.servers ?? {});
  if (servers.length === 0) return settings;
  const listed = await Promise.all(
    servers.map(async ([name, server]) => {
      const { omittedTools: _previous, ...rest } = server;
      const { tools, omitted } = await listTools(name, server, options);
      onListed(name);
      return [name, { ...rest, tools, ...(omitted.length > 0 ? { omittedTools: omitted } : {}) }] as const;
    }),
  );
  return { ...settings, mcp: { servers: Object.fromEntries(listed) } };
}

async function listTools(
  name: string,
  server: McpServer,
  options: ConnectOptions,
): Promise<{ readonly tools: McpTool[]; readonly omitted: string[] }> {
  const signal = AbortSignal.timeout(LIST_TIMEOUT_MS);
  let connection: Connection | undefined;
  try {
    const secrets = new CallSecrets({ readSecrets: options.readSecrets });
    const values = await fillServerValues(server, secrets, options);
    connection = await connect(server, values, secrets.mask, options, signal);
    const tools = await listPages(connection, signal);
    const wanted = server.allow && new Set(server.allow);
    const missing = server.allow?.filter((entry) => !tools.some((tool) => tool.name === entry)) ?? [];
    if (missing.length > 0) throw new Error(`it has no tool named ${missing.join(', ')}`);
    const allowed = tools.filter((tool) => !wanted || wanted.has(tool.name));
    const limit = server.onDemand ? MAX_TOOLS_ON_DEMAND : MAX_TOOLS;
    return {
      tools: allowed.slice(0, limit).map((tool) => toMcpTool(name, tool)),
      omitted: allowed.slice(limit).map((tool) => tool.name),
    };
  } catch (error) {
    if (signal.aborted)
      throw new McpUnavailable(name, `it did not list its tools within ${LIST_TIMEOUT_MS / 1_000} s.`);
    throw new McpUnavailable(name, connection?.removeSecrets(describeError(error)) ?? describeError(error));
  } finally {
    await connection?.close().catch(() => undefined);
  }
}

async function listPages({ client }: Connection, signal: AbortSignal): Promise<z.infer<typeof toolSchema>[]> {
  const tools = new Map<string, z.infer<typeof toolSchema>>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const listing = await client.request({ method: 'tools/list', params }, pageSchema, {
      signal,
      timeout: LIST_TIMEOUT_MS,
    });
    for (const entry of listing.tools) {
      const tool = toolSchema.safeParse(entry);
      if (tool.success && !tools.has(tool.data.name)) tools.set(tool.data.name, tool.data);
    }
    cursor = listing.nextCursor;
    if (cursor === undefined) break;
  }
  return [...tools.values()];
}

function toMcpTool(server: string, tool: z.infer<typeof toolSchema>): McpTool {
  const description = toWellFormedText((tool.description ?? tool.title ?? '').trim());
  const { readOnlyHint = false, idempotentHint = false } = tool.annotations ?? {};
  return {
    name: tool.name,
    offeredName: createOfferedName(server, tool.name),
    description: (description || `The tool ${tool.name} of the server ${server}.`).slice(0, MAX_DESCRIPTION_CHARACTERS),
    parameters: toParametersSchema(tool.inputSchema),
    // A tool without annotations may have any effect.
    effect: readOnlyHint ? 'pure' : idempotentHint ? 'idempotent' : 'once',
  };
}
