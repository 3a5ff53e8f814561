import { SecretMask } from '@phaseline/basics/secrets';
import { parseOtlpHeaders } from '@phaseline/telemetry';

const credentialsInUrl = /((?<![a-z0-9+.-])[a-z][a-z0-9+.-]*:\/\/[^\s/:@"'\\]*):[^\s/@"'\\]+@/gi;
const bearer = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi;
/** Keys (`plk_`), login links (`pll_`) and sessions (`pls_`) of this system. */
const ownToken = /\b(pl[kls])_[A-Za-z0-9_-]{16,}/g;
const MIN_CHARACTERS = 8;
const modelKey = /\bsk-[A-Za-z0-9_-]{8,}/g;

/** Names of log fields that contain secrets. */
export const SECRET_FIELDS: readonly string[] = [
  'authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'apiKey',
  'api_key',
  'password',
  'token',
  'secret',
];

/** Secrets that this process used, such as those of tool calls. Everything that the process logs is scrubbed of them. */
const usedSecrets = new Set<string>();
/** Number of values to remember. The oldest are forgotten first. */
const MAX_USED_SECRETS = 1_000;
let usedVersion = 0;

/** Remembers values that must not appear in the logs of this process from now on. */
export function rememberSecrets(values: Iterable<string>): void {
  for (const value of values) {
    if (usedSecrets.has(value)) continue;
    usedSecrets.add(value);
    usedVersion += 1;
    if (usedSecrets.size > MAX_USED_SECRETS) usedSecrets.delete(usedSecrets.values().next().value!);
  }
}

/**
 * Creates a function that redacts secrets in a text: passwords in URLs, bearer tokens, keys and login links of this system, model keys, every
 * value in `known`, and every value that was remembered. Error messages of drivers and model servers may contain them.
 */
export function createSecretScrubber(known: readonly string[]): (text: string) => string {
  let mask = createMask(known);
  let maskedVersion = 0;
  return (text) => {
    if (maskedVersion !== usedVersion) {
      mask = createMask([...known, ...usedSecrets]);
      maskedVersion = usedVersion;
    }
    return mask.maskText(
      text
        .replace(credentialsInUrl, '$1:***@')
        .replace(bearer, '$1 ***')
        .replace(modelKey, 'sk-***')
        .replace(ownToken, '$1_***'),
    );
  };
}

function createMask(values: readonly string[]): SecretMask {
  // Shorter values would also match ordinary text.
  const distinct = [...new Set(values)].filter((value) => value.length >= MIN_CHARACTERS);
  return new SecretMask(Object.fromEntries(distinct.map((value, index) => [String(index), value])), () => '***');
}

/** Adds the bare key of a value of the form `name=key`, because clients send the key without its name. */
function expandNamedKey(value: string): string[] {
  const [, key] = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}=([^=].*)$/.exec(value) ?? [];
  return key === undefined ? [value] : [value, key];
}

/** Returns the value of a header `name=value`, as written and decoded, and the decoded value without its scheme, such as `Bearer`. */
function expandHeader(header: string): string[] {
  const written = header.slice(header.indexOf('=') + 1).trim();
  const decoded = Object.values(parseOtlpHeaders(header));
  return [written, ...decoded, ...decoded.map((value) => value.replace(/^\S+\s+/, ''))];
}

/** Returns the secrets in an environment: values of secret variables, and passwords in URLs. */
export function findSecrets(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (/(KEY|KEYS|SECRET|TOKEN|PASSWORD)$/.test(name))
      return value.split(',').flatMap((part) => expandNamedKey(part.trim()));
    if (name === 'OTEL_EXPORTER_OTLP_HEADERS') return value.split(',').flatMap(expandHeader);
    if (/URL$/.test(name) && URL.canParse(value)) {
      const { password } = new URL(value);
      return [password, decodeURIComponent(password)];
    }
    return [];
  });
}
