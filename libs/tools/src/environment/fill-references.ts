import { ToolError } from '@phaseline/contracts';

/** Variables of the services themselves, which an agent's settings must not reference. */
const SERVICE_VARIABLE =
  /^(?:PHASELINE_|DATABASE_URL$|REDIS_URL$|OPENAI_|NEO4J_PASSWORD$|TAVILY_API_KEY$|PG[A-Z]|NODE_|LD_|DYLD_)/;
const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;
/** Minimum length of a secret. Shorter values are not secrets and would match in every text. */
const MIN_SECRET_CHARACTERS = 6;

export interface FilledValues {
  readonly values: Readonly<Record<string, string>>;
  /** Values of the referenced variables, by name. They must not be written to the event log. */
  readonly secrets: Readonly<Record<string, string>>;
}

/**
 * Replaces `${NAME}` in the values with the environment variable of that name. Throws ToolError `reference_missing` for a variable
 * that is not set, and `reference_refused` for one that belongs to the services.
 */
export function fillReferences(
  values: Readonly<Record<string, string>>,
  variables: NodeJS.ProcessEnv = process.env,
): FilledValues {
  const secrets: Record<string, string> = {};
  const fill = (text: string): string =>
    text.replace(REFERENCE, (_whole, name: string) => {
      if (SERVICE_VARIABLE.test(name)) {
        throw new ToolError(
          'reference_refused',
          `The agent's settings refer to the variable ${name}, which is reserved for the service. An operator must choose another name.`,
        );
      }
      const value = variables[name];
      if (value === undefined || value === '') {
        throw new ToolError(
          'reference_missing',
          `The agent's settings refer to the variable ${name}, which is not set. An operator must set it for tool-runner.`,
        );
      }
      secrets[name] = value;
      return value;
    });
  const filled = Object.fromEntries(Object.entries(values).map(([name, text]) => [name, fill(text)]));
  return { values: filled, secrets };
}

/** Replaces each secret in a text with the name of its variable, also where it is URL-encoded or in base64. */
export function maskSecrets(text: string, secrets: Readonly<Record<string, string>>): string {
  let clean = text;
  for (const [name, value] of Object.entries(secrets)) {
    if (value.length < MIN_SECRET_CHARACTERS) continue;
    for (const form of new Set([value, encodeURIComponent(value), Buffer.from(value).toString('base64')]))
      clean = clean.replaceAll(form, `[${name}]`);
  }
  return clean;
}
