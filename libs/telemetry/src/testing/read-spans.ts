import { listBytes, readFields, readNumber, readText, type Field } from './read-protobuf.js';

type Attributes = Readonly<Record<string, unknown>>;

/** A span as a collector receives it. Ids are hex digits. */
export interface ReceivedSpan {
  readonly service: string;
  /** Id of the process. */
  readonly instance: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a root span. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: string;
  /** Nanoseconds since 1970. */
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly attributes: Attributes;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly hasFailed: boolean;
  /** Text about the failure; empty if there is none. */
  readonly message: string;
}

const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];
const STATUS_ERROR = 2;

/** Reads the body of an OTLP request: an ExportTraceServiceRequest of opentelemetry-proto 1.x. */
export function readSpans(body: Uint8Array): readonly ReceivedSpan[] {
  return listBytes(readFields(body), 1).flatMap((resourceSpans) => {
    const fields = readFields(resourceSpans);
    const resource = listBytes(fields, 1)[0] ?? new Uint8Array();
    const of = readAttributes(readFields(resource), 1);
    const process = { service: String(of['service.name']), instance: String(of['service.instance.id']) };
    return listBytes(fields, 2)
      .flatMap((scopeSpans) => listBytes(readFields(scopeSpans), 2))
      .map((span) => ({ ...process, ...readSpan(readFields(span)) }));
  });
}

function readSpan(fields: readonly Field[]): Omit<ReceivedSpan, 'service' | 'instance'> {
  const status = listBytes(fields, 15)[0] ?? new Uint8Array();
  return {
    traceId: readHex(fields, 1),
    spanId: readHex(fields, 2),
    parentSpanId: readHex(fields, 4),
    name: readText(fields, 5),
    kind: KINDS[readNumber(fields, 6)] ?? 'unspecified',
    startNs: readFixed64(fields, 7),
    endNs: readFixed64(fields, 8),
    attributes: readAttributes(fields, 9),
    links: listBytes(fields, 13).map((link) => {
      const of = readFields(link);
      return { traceId: readHex(of, 1), spanId: readHex(of, 2) };
    }),
    hasFailed: readNumber(readFields(status), 3) === STATUS_ERROR,
    message: readText(readFields(status), 2),
  };
}

function readAttributes(fields: readonly Field[], number: number): Attributes {
  return Object.fromEntries(
    listBytes(fields, number).map((pair) => {
      const of = readFields(pair);
      return [readText(of, 1), readValue(listBytes(of, 2)[0] ?? new Uint8Array())];
    }),
  );
}

/** Reads an AnyValue: a text, boolean, integer, double or list. */
function readValue(bytes: Uint8Array): unknown {
  const fields = readFields(bytes);
  const [field] = fields;
  switch (field?.number) {
    case 1:
      return readText(fields, 1);
    case 2:
      return field.value === 1n;
    case 3:
      return Number(BigInt.asIntN(64, field.value as bigint));
    case 4:
      return Buffer.from(field.value as Uint8Array).readDoubleLE();
    case 5:
      return listBytes(readFields(field.value as Uint8Array), 1).map(readValue);
    default:
      return undefined;
  }
}

function readHex(fields: readonly Field[], number: number): string {
  return Buffer.from(listBytes(fields, number)[0] ?? []).toString('hex');
}

function readFixed64(fields: readonly Field[], number: number): bigint {
  const bytes = listBytes(fields, number)[0];
  return bytes ? Buffer.from(bytes).readBigUInt64LE() : 0n;
}
