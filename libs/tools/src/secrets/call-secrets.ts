import { SecretMask } from '@phaseline/basics/secrets';
import { ToolError } from '@phaseline/contracts';

/** Variables of the services themselves, which an agent's settings must not reference. */
const SERVICE_VARIABLE =
  /^(?:PHASELINE_|DATABASE_URL$|REDIS_URL$|OPENAI_|NEO4J_PASSWORD$|TAVILY_API_KEY$|PG[A-Z]|NODE_|LD_|DYLD_)/;
const REFERENCE = /\$\{(secret:)?([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Reads secrets that the agent of a call may use. Throws ToolError for one that does not exist. */
export type ReadSecrets = (names: readonly string[]) => Promise<Readonly<Record<string, string>>>;

export interface CallSecretsOptions {
  /** Absent where there is no store, such as in specs. */
  readonly readSecrets?: ReadSecrets | undefined;
  /** Names of the secrets that the tool itself declares. */
  readonly declared?: readonly string[] | undefined;
}

/**
 * The secrets of one tool call. Values are read when the call needs them, and only those that the tool or its settings declare. The
 * values that were read are remembered, so that they can be removed from whatever the call returns.
 */
export class CallSecrets {
  private readonly used = new Map<string, string>();
  private currentMask: SecretMask | undefined;

  constructor(private readonly options: CallSecretsOptions = {}) {}

  /** Masks every value that was read so far. */
  get mask(): SecretMask {
    this.currentMask ??= new SecretMask(Object.fromEntries(this.used));
    return this.currentMask;
  }

  /** Reads a secret that the declaration of the tool names. Throws ToolError `secret_refused` for any other, and `secret_missing`. */
  async get(name: string): Promise<string> {
    const { declared = [] } = this.options;
    return (await this.read([name], declared))[name]!;
  }

  /**
   * Replaces `${secret:NAME}` in the values by a secret, which `declared` must name, and `${NAME}` by one of `variables`. Throws
   * ToolError `secret_refused`, `secret_missing`, `reference_missing` for a variable that is not set, and `reference_refused` for one that
   * belongs to the services.
   */
  async fill(
    values: Readonly<Record<string, string>>,
    declared: readonly string[] = [],
    variables: NodeJS.ProcessEnv = process.env,
  ): Promise<Readonly<Record<string, string>>> {
    const texts = Object.values(values);
    const names = texts.flatMap((text) =>
      [...text.matchAll(REFERENCE)].flatMap(([, kind, name]) => (kind ? name! : [])),
    );
    const stored = await this.read([...new Set(names)], declared);
    const fill = (text: string): string =>
      text.replace(REFERENCE, (_whole, kind: string | undefined, name: string) =>
        kind === undefined ? this.readVariable(name, variables) : stored[name]!,
      );
    return Object.fromEntries(Object.entries(values).map(([name, text]) => [name, fill(text)]));
  }

  private async read(names: readonly string[], declared: readonly string[]): Promise<Readonly<Record<string, string>>> {
    const undeclared = names.find((name) => !declared.includes(name));
    if (undeclared !== undefined)
      throw new ToolError(
        'secret_refused',
        `This tool may not use the secret ${undeclared}: its definition does not name it under 'secrets'. An operator must add it there.`,
      );
    if (names.length === 0) return {};
    const { readSecrets } = this.options;
    if (!readSecrets)
      throw new ToolError(
        'secret_missing',
        `The secret ${names.join(', ')} cannot be read here: there is no store of secrets.`,
      );
    const values = await readSecrets(names);
    for (const name of names) this.remember(name, values[name]!);
    return values;
  }

  private readVariable(name: string, variables: NodeJS.ProcessEnv): string {
    if (SERVICE_VARIABLE.test(name))
      throw new ToolError(
        'reference_refused',
        `The agent's settings refer to the variable ${name}, which is reserved for the service. An operator must choose another name.`,
      );
    const value = variables[name];
    if (value === undefined || value === '')
      throw new ToolError(
        'reference_missing',
        `The agent's settings refer to the variable ${name}, which is not set. An operator must set it for tool-runner.`,
      );
    this.remember(name, value);
    return value;
  }

  private remember(name: string, value: string): void {
    this.used.set(name, value);
    this.currentMask = undefined;
  }
}
