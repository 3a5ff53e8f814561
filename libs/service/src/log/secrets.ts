const credentialsInUrl = /((?<![a-z0-9+.-])[a-z][a-z0-9+.-]*:\/\/[^\s/:@"'\\]*):[^\s/@"'\\]+@/gi;
const bearer = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi;
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

/**
 * Creates a function that redacts secrets in a text: passwords in URLs, bearer tokens, model keys, and every value in `known`. Error
 * messages of drivers and model servers may contain them.
 */
export function createSecretScrubber(known: readonly string[]): (text: string) => string {
  // Short values would also match ordinary text.
  const values = [...new Set(known.filter((value) => value.length >= 8))];
  return (text) => {
    let clean = text.replace(credentialsInUrl, '$1:***@').replace(bearer, '$1 ***').replace(modelKey, 'sk-***');
    for (const value of values) clean = clean.replaceAll(value, '***');
    return clean;
  };
}

/** Adds the bare key of a value of the form `name=key`, because clients send the key without its name. */
function expandNamedKey(value: string): string[] {
  const [, key] = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}=([^=].*)$/.exec(value) ?? [];
  return key === undefined ? [value] : [value, key];
}

/** Returns the secrets in an environment: values of secret variables, and passwords in URLs. */
export function findSecrets(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (/(KEY|KEYS|SECRET|TOKEN|PASSWORD)$/.test(name))
      return value.split(',').flatMap((part) => expandNamedKey(part.trim()));
    if (/URL$/.test(name) && URL.canParse(value)) {
      const { password } = new URL(value);
      return [password, decodeURIComponent(password)];
    }
    return [];
  });
}
