import crypto from 'node:crypto';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import pg from 'pg';
import { classifyStatement, STATEMENT_KINDS, type StatementKind } from './classify-statement.js';
import type { Counts } from './per-step.js';

type WorkName = 'parses' | 'parsedCharacters' | 'writes' | 'writtenCharacters' | 'hashes' | 'tokenCounts';

/** What one process did, as counts. */
export interface CallCounts {
  readonly statements: Counts<StatementKind>;
  /** Calls of JSON.parse and JSON.stringify with the characters of their texts, hashes, and texts whose tokens were counted. */
  readonly work: Counts<WorkName>;
}

type Method = (this: unknown, ...args: readonly unknown[]) => unknown;

/**
 * Runs a function and counts the statements, JSON texts, hashes and token counts of this process meanwhile. Replaces methods that the whole
 * process uses until it returns, so measure no times with it.
 */
export async function countCalls<Result>(
  run: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly counts: CallCounts }> {
  const statements = Object.fromEntries(STATEMENT_KINDS.map((kind) => [kind, 0])) as Record<StatementKind, number>;
  const work = { parses: 0, parsedCharacters: 0, writes: 0, writtenCharacters: 0, hashes: 0, tokenCounts: 0 };
  const addHash = (): void => void (work.hashes += 1);
  // The module is loaded with `require` by its only user, so this is the same object.
  const tokenizer = createRequire(import.meta.url)(
    'gpt-tokenizer/encoding/o200k_base',
  ) as typeof import('gpt-tokenizer/encoding/o200k_base');
  const restore = [
    observe(pg.Client.prototype, 'query', ([statement]) => {
      const name = typeof statement === 'object' ? (statement as { readonly name?: string }).name : undefined;
      statements[classifyStatement(name)] += 1;
    }),
    observe(JSON, 'parse', ([text]) => {
      work.parses += 1;
      work.parsedCharacters += String(text).length;
    }),
    observe(JSON, 'stringify', (_values, text) => {
      work.writes += 1;
      work.writtenCharacters += typeof text === 'string' ? text.length : 0;
    }),
    observe(crypto, 'createHash', addHash),
    observe(crypto, 'hash', addHash),
    observe(tokenizer, 'countTokens', () => void (work.tokenCounts += 1)),
  ];
  // Named imports of built-in modules are copies.
  syncBuiltinESMExports();
  try {
    return { result: await run(), counts: { statements, work } };
  } finally {
    for (const undo of restore) undo();
    syncBuiltinESMExports();
  }
}

/** Calls a function after each call of a method, with its arguments and its result. Returns how to undo that. */
function observe(owner: object, name: string, onCall: (args: readonly unknown[], result: unknown) => void): () => void {
  const methods = owner as Record<string, Method>;
  const method = methods[name]!;
  methods[name] = function observed(...args) {
    const result = Reflect.apply(method, this, args);
    onCall(args, result);
    return result;
  };
  return () => void (methods[name] = method);
}
