import { z } from 'zod';
import { preferenceKeys, userPreferencesSchema, type PreferenceKey, type UserPreferences } from './user-preferences.js';

/** Examples of the preferences that are objects. */
const examples: Readonly<Partial<Record<PreferenceKey, string>>> = {
  calendar: '{"hours":[{"weekday":"monday","from":"18:00","to":"20:00"}],"holidays":[]}',
  capacity: '{"minutesPerDay":60,"minutesPerWeek":300}',
  strategy: '{"loading":"front_loaded","bufferShare":0.2,"preferredWeekdays":["saturday"]}',
};

/** Describes the values that a preference can have, for people. */
export function describeAllowedValues(key: PreferenceKey): string {
  const schema = userPreferencesSchema.shape[key];
  if (schema instanceof z.ZodEnum) return schema.options.join(', ');
  if (schema instanceof z.ZodNumber)
    return `${schema.isInt ? 'whole numbers' : 'numbers'} from ${schema.minValue} to ${schema.maxValue}`;
  return `JSON such as ${examples[key] ?? '{}'}`;
}

/** Finds a preference by its name, also in kebab case or snake case. */
export function findPreferenceKey(name: string): PreferenceKey | undefined {
  const plain = name.replace(/[-_]/g, '').toLowerCase();
  return preferenceKeys.find((key) => key.toLowerCase() === plain);
}

/** Reads the value of a preference from a text. Throws RangeError, which names the values that are allowed. */
export function parsePreference(key: PreferenceKey, text: string): UserPreferences {
  const schema = userPreferencesSchema.shape[key];
  const parsed = schema.safeParse(schema instanceof z.ZodEnum ? text.trim() : parseJson(text));
  if (parsed.success) return { [key]: parsed.data };
  const [issue] = parsed.error.issues;
  const place = issue && issue.path.length > 0 ? ` (${issue.path.join('.')}: ${issue.message})` : '';
  throw new RangeError(`${text} is no value of ${key}${place}. Allowed: ${describeAllowedValues(key)}.`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
