import { planStack } from '../../stack/stack-plan.js';
import { fail, ok, formatList, warn, type Check } from '../check.js';
import { describeError } from '../doctor-target.js';

const REQUEST_TIMEOUT_MS = 10_000;

/** Checks that the model server responds, accepts the key and has the model. The key is never shown. */
export const model: Check = {
  name: 'model',
  run: async ({ env, rehearsalUrl }) => {
    const plan = planStack(env).model;
    if (plan.kind === 'rehearsal') {
      if (rehearsalUrl === undefined)
        return ok('the rehearsal model, which follows a script and starts with the stack');
      const problem = await listModels(rehearsalUrl, undefined);
      return typeof problem === 'string'
        ? fail(`the rehearsal model at ${rehearsalUrl}: ${problem}`, 'phaseline up starts it')
        : ok(`the rehearsal model, which follows a script, at ${rehearsalUrl}`);
    }
    const { host } = new URL(plan.baseUrl);
    const key = env.OPENAI_API_KEY?.trim();
    const served = await listModels(plan.baseUrl, key);
    if (typeof served === 'string')
      return fail(
        `the model server at ${host}: ${served}`,
        'correct OPENAI_BASE_URL and OPENAI_API_KEY, or start the server',
      );
    if (plan.model !== undefined && served.length > 0 && !served.includes(plan.model))
      return warn(
        `the model server at ${host} does not list ${plan.model} (PHASELINE_MODEL); it has ${formatList(served)}`,
        'set PHASELINE_MODEL to one of its models',
      );
    return ok(`the model server at ${host} responds${plan.model === undefined ? '' : `, model ${plan.model}`}`);
  },
};

/** Returns the models that a server lists, or a description of the problem. */
async function listModels(baseUrl: string, key: string | undefined): Promise<readonly string[] | string> {
  const url = `${baseUrl.replace(/\/+$/, '')}/models`;
  try {
    const response = await fetch(url, {
      headers: key ? { authorization: `Bearer ${key}` } : {},
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    if (response.status === 401 || response.status === 403)
      return `it rejects the key (${response.status})${key ? '' : '; OPENAI_API_KEY is not set'}`;
    // Some servers do not list their models; a response is enough.
    if (response.status === 404) return [];
    if (!response.ok) return `it responds with status ${response.status}`;
    const body = (await response.json().catch(() => undefined)) as { data?: unknown } | undefined;
    if (!Array.isArray(body?.data)) return 'the response is not that of a model server';
    return body.data.flatMap((entry: unknown) => {
      const { id } = (entry ?? {}) as { id?: unknown };
      return typeof id === 'string' ? [id] : [];
    });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return `it cannot be reached (${describeError(cause)})`;
  }
}
