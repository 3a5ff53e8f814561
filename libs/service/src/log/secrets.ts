const credentialsInUrl = /((?<![a-z0-9+.-])[a-z][a-z0-9+.-]*:\/\/[^\s/:@"'\\]*):[^\s/@"'\\]+@/gi;
const bearer = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi;
const modelKey = /\bsk-[A-Za-z0-9_-]{8,}/g;

/** Where secrets are kept in what the services log. */
export const secretFields: readonly string[] = [
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
 * Makes a function that takes secrets out of a text: passwords in URLs, bearer tokens, model keys, and every value in
 * `known` wherever it stands. Errors of drivers and of model servers repeat such things in their messages.
 */
export function secretScrubber(known: readonly string[]): (text: string) => string {
  // Short values would also hit innocent text.
  const values = [...new Set(known.filter((value) => value.length >= 8))];
  return (text) => {
    let clean = text.replace(credentialsInUrl, '$1:***@').replace(bearer, '$1 ***').replace(modelKey, 'sk-***');
    for (const value of values) clean = clean.replaceAll(value, '***');
    return clean;
  };
}

/** A key that was given as `name=key` is sent and repeated without its name. */
function withoutName(value: string): string[] {
  const [, key] = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}=([^=].*)$/.exec(value) ?? [];
  return key === undefined ? [value] : [value, key];
}

/** The values in an environment that must not be seen anywhere: whole variables, and the passwords inside URLs. */
export function secretsOf(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (/(KEY|KEYS|SECRET|TOKEN|PASSWORD)$/.test(name))
      return value.split(',').flatMap((part) => withoutName(part.trim()));
    if (/URL$/.test(name) && URL.canParse(value)) {
      const { password } = new URL(value);
      return [password, decodeURIComponent(password)];
    }
    return [];
  });
}
