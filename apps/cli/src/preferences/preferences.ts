import type { ChangePreferencesRequest, Preferences } from '@phaseline/client';
import {
  describeAllowedValues,
  findPreferenceKey,
  parsePreference,
  type PreferenceKey,
  preferenceKeys,
} from '@phaseline/planning';
import type { CommandContext } from '../command/command-context.js';
import { UsageError } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { toPrintable } from '../output/printable.js';
import { renderTable } from '../output/table.js';

export interface PreferencesOptions {
  readonly tenant?: string;
}

/** `phaseline preferences`: shows how plans deal with you, and which values you have set. */
export async function showPreferences(context: CommandContext, options: PreferencesOptions): Promise<ExitCode> {
  const preferences = await (await connect(context)).preferences(options, { signal: context.signal });
  show(context, preferences, preferenceKeys);
  return exitCode.ok;
}

/** `phaseline preferences set KEY VALUE`: sets a preference for later plans. */
export function setPreference(
  context: CommandContext,
  name: string,
  text: string,
  options: PreferencesOptions,
): Promise<ExitCode> {
  const key = requireKey(name);
  try {
    return change(context, key, { ...parsePreference(key, text) }, options);
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(error.message);
    throw error;
  }
}

/** `phaseline preferences clear KEY`: has the default again in later plans. */
export function clearPreference(context: CommandContext, name: string, options: PreferencesOptions): Promise<ExitCode> {
  const key = requireKey(name);
  return change(context, key, { [key]: null }, options);
}

function requireKey(name: string): PreferenceKey {
  const key = findPreferenceKey(name);
  if (key) return key;
  throw new UsageError(`There is no preference ${name}. Known: ${preferenceKeys.join(', ')}.`);
}

async function change(
  context: CommandContext,
  key: PreferenceKey,
  changes: ChangePreferencesRequest,
  options: PreferencesOptions,
): Promise<ExitCode> {
  const { signal } = context;
  const preferences = await (await connect(context)).changePreferences(changes, options, { signal });
  show(context, preferences, [key]);
  return exitCode.ok;
}

function show({ out }: CommandContext, preferences: Preferences, keys: readonly PreferenceKey[]): void {
  if (out.isStructured) {
    out.writeDocument(preferences);
    return;
  }
  out.writeLines(
    ...renderTable<PreferenceKey>(
      [
        { title: 'PREFERENCE', cell: (key) => key },
        { title: 'VALUE', cell: (key) => renderValue(preferences.preferences[key]) },
        { title: '', cell: (key) => (preferences.set.includes(key) ? 'set' : 'default') },
        { title: 'ALLOWED', cell: describeAllowedValues },
      ],
      keys,
      { width: out.columns, title: out.paint.dim },
    ),
  );
}

function renderValue(value: unknown): string {
  return toPrintable(typeof value === 'string' ? value : JSON.stringify(value ?? null));
}
