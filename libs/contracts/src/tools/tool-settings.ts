import { z } from 'zod';
import { jsonObjectSchema } from '@phaseline/basics';
import { listSecretReferences, secretNameSchema } from '../secrets/secret-name.js';
import { serviceSchema } from '../verification/service.js';
import { planningSettingsSchema } from './planning-settings.js';
import { documentSettingsSchema, graphSettingsSchema, searchSettingsSchema } from './tool-limits.js';

const effects = ['pure', 'idempotent', 'once'] as const;
const MEGABYTE = 1024 * 1024;
const milliseconds = (defaultMs: number) => z.int().min(100).max(3_600_000).default(defaultMs);

/**
 * Environment variables. In a value, `${secret:NAME}` is replaced by a secret of the store and `${NAME}` by a variable of the process that
 * uses it; the result is never recorded.
 */
export const environment = z
  .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected the name of a variable'), z.string().max(4_000))
  .default({});

/** Hosts that a command may reach, such as `registry.example`, `*.example` or `host.example:8080`; none if absent. */
export const allowedHosts = z
  .array(
    z
      .string()
      .regex(
        /^(?:\*\.)?[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?(?::[1-9]\d{0,4})?$/,
        'expected a host such as registry.example, *.example or host.example:8080',
      ),
  )
  .max(100)
  .optional();

/** Names of the secrets that these settings may refer to. A tool sees no other secret. */
export const declaredSecrets = z.array(secretNameSchema).optional();

/** Returns an issue for the first reference to a secret that the settings do not declare. */
export function findUndeclaredSecret(texts: readonly string[], declared: readonly string[] = []): string | undefined {
  const name = listSecretReferences(texts).find((reference) => !declared.includes(reference));
  return name === undefined ? undefined : `refers to the secret ${name}, which 'secrets' does not name`;
}

/** What `run_command` may do. An agent without these settings may run nothing. */
const commandSettingsSchema = z
  .strictObject({
    /** Allowed programs, by name or absolute path. An interpreter on the list can run anything. */
    allow: z
      .array(z.string().regex(/^(?:\/[^\0]+|[^/\s\0][^/\0]*)$/, 'expected a name or an absolute path'))
      .default([]),
    /** Whether the agent may pass command lines to `/bin/sh`, and so run any program. */
    shell: z.boolean().default(false),
    /** Effect of a second run; `once` unless every allowed command can be repeated. */
    effect: z.enum(effects).default('once'),
    timeoutMs: milliseconds(120_000),
    /** Memory limit in bytes, enforced per process by the kernel where possible, and for all processes together by monitoring. */
    maxMemoryBytes: z
      .int()
      .min(16 * MEGABYTE)
      .default(1024 * MEGABYTE),
    maxProcesses: z.int().min(1).max(10_000).default(64),
    /** Maximum bytes of output shown, taken from its beginning and end. */
    maxOutputBytes: z
      .int()
      .min(256)
      .max(MEGABYTE)
      .default(32 * 1024),
    /** Maximum number of files that a call may change, and their total bytes. Beyond these limits, no change is kept. */
    maxChangedFiles: z.int().min(0).max(10_000).default(500),
    maxChangedBytes: z
      .int()
      .min(0)
      .max(512 * MEGABYTE)
      .default(64 * MEGABYTE),
    /** Maximum size of the workspace in bytes. For a larger one the call is refused. */
    maxWorkspaceBytes: z
      .int()
      .min(0)
      .default(1024 * MEGABYTE),
    /** Folders searched for programs before those of the system. */
    path: z.array(z.string().startsWith('/')).default([]),
    env: environment,
    secrets: declaredSecrets,
    network: allowedHosts,
    /** Programs that run beside each command, on a private loopback, and end with it. */
    services: z.array(serviceSchema).min(1).max(20).optional(),
    /** Maximum bytes of the workspace and the private `/tmp` together, with caches. Default: 4 GiB. */
    maxDiskBytes: z
      .int()
      .min(16 * MEGABYTE)
      .optional(),
    /** Names of folders, anywhere in the workspace, whose changes are not kept, in addition to the caches of the workspace. */
    ignore: z.array(z.string().min(1)).default([]),
  })
  .refine(({ allow, shell }) => allow.length > 0 || shell, "expected programs under 'allow', or 'shell: true'")
  .superRefine(({ env, secrets }, context) => {
    const message = findUndeclaredSecret(Object.values(env), secrets);
    if (message !== undefined) context.addIssue({ code: 'custom', path: ['env'], message });
  });
export type CommandSettings = z.infer<typeof commandSettingsSchema>;

/** A tool as described by an MCP server when the agent's definition was resolved. */
const mcpToolSchema = z.strictObject({
  /** Name on the server. */
  name: z.string(),
  /** Name for the model: `mcp__server__tool`. */
  offeredName: z.string(),
  description: z.string(),
  parameters: jsonObjectSchema,
  effect: z.enum(effects),
});
export type McpTool = z.infer<typeof mcpToolSchema>;

const mcpServerSchema = z
  .strictObject({
    /** Command that starts a server that communicates over its standard streams. */
    command: z.string().min(1).optional(),
    args: z.array(z.string()).default([]),
    env: environment,
    /** For a command: hosts that the server may reach. */
    network: allowedHosts,
    /** URL of a server that uses streamable HTTP. */
    url: z.url({ protocol: /^https?$/ }).optional(),
    headers: z.record(z.string().regex(/^[A-Za-z0-9-]+$/), z.string().max(4_000)).default({}),
    secrets: declaredSecrets,
    /** Kinds of phases in which its tools are offered: in strategic ones only those that the server marks with `readOnlyHint`. */
    phases: z.array(z.enum(['strategic', 'tactical'])).default(['tactical']),
    /** Whether its tools enter the prompt only after the agent has found them with `search_tools`. */
    onDemand: z.boolean().optional(),
    /** Names of the server's tools to use; all if absent. */
    allow: z.array(z.string()).optional(),
    /** Timeout per call. */
    timeoutMs: milliseconds(60_000),
    /** Filled in when the definition is resolved, so that a job keeps the tools it started with. */
    tools: z.array(mcpToolSchema).optional(),
    /** Filled in with `tools`: names of tools that are left out because the server has too many. */
    omittedTools: z.array(z.string()).optional(),
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), "expected one of 'command' and 'url'")
  .refine(({ network, url }) => network === undefined || url === undefined, "'network' is for a server with 'command'")
  .superRefine(({ env, headers, secrets }, context) => {
    const message = findUndeclaredSecret([...Object.values(env), ...Object.values(headers)], secrets);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
export type McpServer = z.infer<typeof mcpServerSchema>;

/** Settings passed to tools in addition to their arguments, by pack. */
export const toolSettingsSchema = z.strictObject({
  commands: commandSettingsSchema.optional(),
  documents: documentSettingsSchema.optional(),
  search: searchSettingsSchema.optional(),
  graph: graphSettingsSchema.optional(),
  planning: planningSettingsSchema.optional(),
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

/**
 * Names of the MCP tools that a phase of this kind offers. A phase that plans may not do the work, so it is offered only tools that the
 * server marks as reading, unless `unsafePhases` is true.
 */
export function listMcpToolNames(
  settings: ToolSettings | undefined,
  kind: 'strategic' | 'tactical',
  { unsafePhases = false }: { readonly unsafePhases?: boolean } = {},
): readonly string[] {
  return Object.values(settings?.mcp?.servers ?? {})
    .filter(({ phases }) => phases.includes(kind))
    .flatMap(({ tools = [] }) => tools.filter(({ effect }) => kind === 'tactical' || unsafePhases || effect === 'pure'))
    .map(({ offeredName }) => offeredName);
}

/** Returns the names of the secrets that settings declare, in order and without repetitions. */
export function listDeclaredSecrets({ commands, mcp }: Pick<ToolSettings, 'commands' | 'mcp'>): readonly string[] {
  const servers = Object.values(mcp?.servers ?? {});
  return [...new Set([...(commands?.secrets ?? []), ...servers.flatMap(({ secrets }) => secrets ?? [])])].sort();
}
