/** Generates an idempotency key. `crypto.randomUUID` is unavailable on web pages not loaded over https or from localhost. */
export function generateIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `auto-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
