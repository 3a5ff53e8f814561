import { z } from 'zod';
import { jsonObjectSchema } from '../json.js';

const effects = ['pure', 'idempotent', 'once'] as const;
const MEGABYTE = 1024 * 1024;
const milliseconds = (byDefault: number) => z.int().min(100).max(3_600_000).default(byDefault);

/** `${NAME}` in a value stands for a variable of the process that uses it; what it stands for is never recorded. */
const environment = z
  .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected the name of a variable'), z.string().max(4_000))
  .default({});

/** What `run_command` may do. Where an agent has no such settings it may run nothing. */
export const commandSettingsSchema = z
  .strictObject({
    /** Programs by the name that the agent uses, or by absolute path. An interpreter on the list can run anything. */
    allow: z
      .array(z.string().regex(/^(?:\/[^\0]+|[^/\s\0][^/\0]*)$/, 'expected a name or an absolute path'))
      .default([]),
    /** Lets the agent give a whole command line to `/bin/sh`, and so run every program there is. */
    shell: z.boolean().default(false),
    /** What a second run would do; `once` unless every command that is allowed can be repeated. */
    effect: z.enum(effects).default('once'),
    timeoutMs: milliseconds(120_000),
    /** Of each process by the kernel, where it can; of all together by watching. */
    memoryBytes: z
      .int()
      .min(16 * MEGABYTE)
      .default(1024 * MEGABYTE),
    processes: z.int().min(1).max(10_000).default(64),
    /** Output that is shown, its beginning and its end; the rest is left out. */
    outputBytes: z
      .int()
      .min(256)
      .max(MEGABYTE)
      .default(32 * 1024),
    /** Files that one call may change, and their bytes together. More, and none is kept. */
    changedFiles: z.int().min(0).max(10_000).default(500),
    changedBytes: z
      .int()
      .min(0)
      .max(512 * MEGABYTE)
      .default(64 * MEGABYTE),
    /** A workspace that has more is not copied, and the call is refused. */
    workspaceBytes: z
      .int()
      .min(0)
      .default(1024 * MEGABYTE),
    /** Folders that are searched for programs before those of the system. */
    path: z.array(z.string().startsWith('/')).default([]),
    env: environment,
    /** Folders by name, anywhere below the workspace, whose changes are not kept. */
    ignore: z.array(z.string().min(1)).default(['.git', 'node_modules', '__pycache__', '.venv']),
  })
  .refine(({ allow, shell }) => allow.length > 0 || shell, "expected programs under 'allow', or 'shell: true'");
export type CommandSettings = z.infer<typeof commandSettingsSchema>;

/** A tool as an MCP server described it when the agent's definition was resolved. */
export const mcpToolSchema = z.strictObject({
  /** What the server calls it. */
  name: z.string(),
  /** What the model calls it: `mcp__server__tool`. */
  offeredAs: z.string(),
  description: z.string(),
  parameters: jsonObjectSchema,
  effect: z.enum(effects),
});
export type McpTool = z.infer<typeof mcpToolSchema>;

export const mcpServerSchema = z
  .strictObject({
    /** Starts a server that speaks over its standard streams. */
    command: z.string().min(1).optional(),
    args: z.array(z.string()).default([]),
    env: environment,
    /** Names a server that speaks streamable HTTP. */
    url: z.url({ protocol: /^https?$/ }).optional(),
    headers: z.record(z.string().regex(/^[A-Za-z0-9-]+$/), z.string().max(4_000)).default({}),
    /** The phases that its tools are offered in. */
    phases: z.array(z.enum(['strategic', 'tactical'])).default(['tactical']),
    /** Leaves its tools out of the prompt until the agent has found them with `search_tools`. */
    onDemand: z.boolean().optional(),
    /** The only tools that are taken over, as the server names them; all, where it is left out. */
    allow: z.array(z.string()).optional(),
    /** Of one call. */
    timeoutMs: milliseconds(60_000),
    /** Written by the system when the definition is resolved, so that a job keeps the tools that it began with. */
    tools: z.array(mcpToolSchema).optional(),
    /** Written with `tools`: names of the server's tools that are left out because it has too many. */
    leftOut: z.array(z.string()).optional(),
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), "expected one of 'command' and 'url'");
export type McpServer = z.infer<typeof mcpServerSchema>;

/** What tools are told beside their arguments, by pack. */
export const toolSettingsSchema = z.strictObject({
  commands: commandSettingsSchema.optional(),
  mcp: z
    .strictObject({
      servers: z.record(
        z.string().regex(/^[a-z][a-z0-9-]{0,19}$/, 'expected a short name in lower case'),
        mcpServerSchema,
      ),
    })
    .optional(),
});
export type ToolSettings = z.infer<typeof toolSettingsSchema>;

/** The tools of MCP servers that a phase of this kind offers. */
export function mcpToolNames(settings: ToolSettings | undefined, kind: 'strategic' | 'tactical'): readonly string[] {
  return Object.values(settings?.mcp?.servers ?? {})
    .filter(({ phases }) => phases.includes(kind))
    .flatMap(({ tools = [] }) => tools.map(({ offeredAs }) => offeredAs));
}
