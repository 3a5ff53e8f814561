const NAMED = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}=(?=[^=])/;

/** Returns the first key of PHASELINE_API_KEYS without its name, as clients send it. */
export function parseFirstApiKey(setting: string | undefined): string | undefined {
  const first = setting?.split(',')[0]?.trim().replace(NAMED, '');
  return first === '' ? undefined : first;
}
