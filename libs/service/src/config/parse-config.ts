import { z } from 'zod';
import { exitCode, StartupError } from '../startup-error.js';

export interface ConfigProblem {
  /** Name of the environment variable. */
  readonly variable: string;
  readonly message: string;
}

/** Settings are missing or invalid. The message names all of them. */
export class ConfigInvalid extends StartupError {
  readonly code = 'config_invalid';
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
 * Parses the environment and reports all problems together. An empty variable counts as missing, because compose files pass a missing
 * value as an empty one. The description of a field is used in the error message.
 *
 * ```ts
 * const config = parseConfig(serviceConfig(7403, { TOOL_TIMEOUT_MS: milliseconds('maximum duration of a tool call', 60_000) }), process.env);
 * ```
 * @throws ConfigInvalid
 */
export function parseConfig<S extends z.ZodType>(schema: S, env: NodeJS.ProcessEnv): z.output<S> {
  const variables = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''),
  );
  const result = schema.safeParse(variables);
  if (result.success) return result.data;
  throw new ConfigInvalid(
    result.error.issues.map((issue) => {
      const variable = String(issue.path[0] ?? 'environment');
      return { variable, message: explain(issue, variables[variable], fieldsOf(schema)[variable]?.description) };
    }),
  );
}

function explain(issue: z.core.$ZodIssue, value: string | undefined, expected: string | undefined): string {
  // An item of a list is explained by the description of the list.
  const isItem = issue.path.length > 1;
  if (issue.code === 'custom' && !isItem) return issue.message;
  const expectation = expected ? `expected ${expected}` : issue.message;
  return value === undefined
    ? `is missing; ${expectation}`
    : `${expectation}, got ${quoteUnlessSecret(value, String(issue.path[0]))}`;
}

/** Quotes a value, unless it may be a secret. */
function quoteUnlessSecret(value: string, variable: string): string {
  if (/URL|KEY|SECRET|TOKEN|PASSWORD/.test(variable)) return 'something else (not shown)';
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
}

function fieldsOf(schema: z.ZodType): Record<string, z.ZodType> {
  if (schema instanceof z.ZodPipe) return fieldsOf(schema.in as z.ZodType);
  return schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>) : {};
}
