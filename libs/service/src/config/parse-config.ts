import { z } from 'zod';
import { exitCode, StartupError } from '../startup-error.js';

export interface ConfigProblem {
  /** Name of the environment variable. */
  readonly variable: string;
  readonly message: string;
}

/** Some settings are missing or wrong; the message names all of them. */
export class ConfigInvalid extends StartupError {
  readonly code = 'CONFIG_INVALID';
  readonly exitCode = exitCode.config;

  constructor(readonly problems: readonly ConfigProblem[]) {
    super(
      ['The configuration is not valid:', ...problems.map(({ variable, message }) => `  ${variable}: ${message}`)].join(
        '\n',
      ),
    );
  }
}

/**
 * Parses the environment once, at the start, and names every problem at once. A variable that is set to nothing counts as
 * not set, which is what compose files make of a missing value. The description of a field says what is expected of it.
 *
 * ```ts
 * const config = parseConfig(serviceConfig(7403, { TOOL_TIMEOUT_MS: milliseconds('the time a tool may take', 60_000) }), process.env);
 * ```
 * @throws ConfigInvalid
 */
export function parseConfig<S extends z.ZodType>(schema: S, env: NodeJS.ProcessEnv): z.output<S> {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''),
  );
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw new ConfigInvalid(
    result.error.issues.map((issue) => {
      const variable = String(issue.path[0] ?? 'environment');
      return { variable, message: explain(issue, given[variable], fields(schema)[variable]?.description) };
    }),
  );
}

function explain(issue: z.core.$ZodIssue, value: string | undefined, expected: string | undefined): string {
  if (issue.code === 'custom') return issue.message;
  const wanted = expected ? `expected ${expected}` : issue.message;
  return value === undefined ? `is missing; ${wanted}` : `${wanted}, got ${quoted(value, String(issue.path[0]))}`;
}

/** The value as it was given, unless it may be a secret. */
function quoted(value: string, variable: string): string {
  if (/URL|KEY|SECRET|TOKEN|PASSWORD/.test(variable)) return 'something else (not shown)';
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
}

function fields(schema: z.ZodType): Record<string, z.ZodType> {
  if (schema instanceof z.ZodPipe) return fields(schema.in as z.ZodType);
  return schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>) : {};
}
