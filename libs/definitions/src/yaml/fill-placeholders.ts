import { findPlace, type Place } from './source-map.js';

/** Values for `${NAME}` and `${NAME:-default}`. A definition has no other access to the environment. */
export type Variables = Readonly<Record<string, string | undefined>>;

export interface MissingVariable {
  readonly path: readonly PropertyKey[];
  readonly variable: string;
}

const PLACEHOLDER = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^{}]*))?\}/g;

/**
 * Replaces the placeholders in the texts of a value. An unset or empty variable takes the default; without one it is
 * reported in `missing`. An unquoted scalar that becomes a number or boolean is converted, as if it had been written there.
 */
export function fillPlaceholders(
  value: unknown,
  root: Place | undefined,
  variables: Variables,
): { readonly value: unknown; readonly missing: readonly MissingVariable[] } {
  const missing: MissingVariable[] = [];
  const fill = (current: unknown, path: readonly PropertyKey[]): unknown => {
    if (typeof current === 'string') {
      const text = current.replace(PLACEHOLDER, (_, variable: string, fallback: string | undefined) => {
        const given = Object.hasOwn(variables, variable) ? variables[variable] : undefined;
        if (given !== undefined && given !== '') return given;
        if (fallback === undefined) missing.push({ path, variable });
        return fallback ?? '';
      });
      return text !== current && findPlace(root, path)?.plain ? asPlainScalar(text) : text;
    }
    if (Array.isArray(current)) return current.map((item, index) => fill(item, [...path, index]));
    if (typeof current !== 'object' || current === null) return current;
    return Object.fromEntries(Object.entries(current).map(([key, item]) => [key, fill(item, [...path, key])]));
  };
  return { value: fill(value, []), missing };
}

function asPlainScalar(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
