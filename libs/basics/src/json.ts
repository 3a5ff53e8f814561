import { z } from 'zod';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

/** Any JSON value, as parsed from a request or stored in an event. Members are not validated. */
export const jsonValueSchema = z.custom<JsonValue>((value) => value !== undefined, 'expected a JSON value');

/** Any JSON object. Members are not validated, which keeps decoding of long histories cheap. */
export const jsonObjectSchema = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'expected an object',
);
