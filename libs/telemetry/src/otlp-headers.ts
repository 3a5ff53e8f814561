/** Parses headers as OTEL_EXPORTER_OTLP_HEADERS has them: `name=value,…`, with percent-encoded values. */
export function parseOtlpHeaders(text: string): Record<string, string> {
  const pairs = text.split(',').map((part) => part.split('='));
  return Object.fromEntries(
    pairs.flatMap(([name = '', ...value]) =>
      name.trim() === '' ? [] : [[name.trim(), decode(value.join('=').trim())]],
    ),
  );
}

/** Decodes a percent-encoded text. One that is not encoded correctly is meant as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
