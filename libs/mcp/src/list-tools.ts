import type { McpServer, McpTool, ToolSettings } from '@phaseline/domain';
import { z } from 'zod';
import { McpUnavailable } from './mcp-unavailable.js';
import { connect, messageOf, type ConnectOptions, type Connection } from './connect.js';
import { offeredName } from './offered-name.js';
import { parametersOf } from './parameters.js';

/** For connecting and listing. A server that a package manager has to fetch first takes that long. */
const LIST_MS = 60_000;
/** More tools of one server are left out: they would fill the context of every call. */
const MAX_TOOLS = 128;
/** Of a server whose tools are not in the prompt until they are searched for. */
const MAX_TOOLS_ON_DEMAND = 1_000;
const MAX_PAGES = 50;
const DESCRIPTION_CHARACTERS = 2_000;

/** Looked at tool by tool, so that one that is malformed does not cost the others. */
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
 * The settings with the tools of every MCP server written into them. `onListed` is called with the name of each server that has
 * answered. Throws McpUnavailable.
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
      const { leftOut: _before, ...settled } = server;
      const { tools, leftOut } = await listTools(name, server, options);
      onListed(name);
      return [name, { ...settled, tools, ...(leftOut.length > 0 ? { leftOut } : {}) }] as const;
    }),
  );
  return { ...settings, mcp: { servers: Object.fromEntries(listed) } };
}

async function listTools(
  name: string,
  server: McpServer,
  options: ConnectOptions,
): Promise<{ readonly tools: McpTool[]; readonly leftOut: string[] }> {
  const signal = AbortSignal.timeout(LIST_MS);
  let connection: Connection | undefined;
  try {
    connection = await connect(server, options, signal);
    const tools = await allPages(connection, signal);
    const wanted = server.allow && new Set(server.allow);
    const missing = server.allow?.filter((one) => !tools.some((tool) => tool.name === one)) ?? [];
    if (missing.length > 0) throw new Error(`it has no tool named ${missing.join(', ')}`);
    const taken = tools.filter((tool) => !wanted || wanted.has(tool.name));
    const limit = server.onDemand ? MAX_TOOLS_ON_DEMAND : MAX_TOOLS;
    return {
      tools: taken.slice(0, limit).map((tool) => describe(name, tool)),
      leftOut: taken.slice(limit).map((tool) => tool.name),
    };
  } catch (error) {
    if (signal.aborted) throw new McpUnavailable(name, `it did not list its tools within ${LIST_MS / 1_000} s.`);
    throw new McpUnavailable(name, connection?.clean(messageOf(error)) ?? messageOf(error));
  } finally {
    await connection?.close().catch(() => undefined);
  }
}

async function allPages({ client }: Connection, signal: AbortSignal): Promise<z.infer<typeof toolSchema>[]> {
  const tools = new Map<string, z.infer<typeof toolSchema>>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: 'tools/list', params }, pageSchema, { signal, timeout: LIST_MS });
    for (const one of answer.tools) {
      const tool = toolSchema.safeParse(one);
      if (tool.success && !tools.has(tool.data.name)) tools.set(tool.data.name, tool.data);
    }
    cursor = answer.nextCursor;
    if (cursor === undefined) break;
  }
  return [...tools.values()];
}

function describe(server: string, tool: z.infer<typeof toolSchema>): McpTool {
  const words = (tool.description ?? tool.title ?? '').trim().toWellFormed().replaceAll('\0', '');
  const { readOnlyHint = false, idempotentHint = false } = tool.annotations ?? {};
  return {
    name: tool.name,
    offeredAs: offeredName(server, tool.name),
    description: (words || `The tool ${tool.name} of the server ${server}.`).slice(0, DESCRIPTION_CHARACTERS),
    parameters: parametersOf(tool.inputSchema),
    // A tool that says nothing may do anything.
    effect: readOnlyHint ? 'pure' : idempotentHint ? 'idempotent' : 'once',
  };
}
