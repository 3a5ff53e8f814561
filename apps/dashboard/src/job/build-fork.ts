import { editedResponseInputSchema, type ForkInput } from '@phaseline/client';

/** What a person chose in the dialog; empty texts mean "as before". */
export interface ForkForm {
  readonly agent: string;
  readonly strategicModel: string;
  readonly tacticalModel: string;
  readonly mode: 'live' | 'recorded';
  /** Whether the next answer is replaced by `content` and `calls`. */
  readonly isEdited: boolean;
  readonly content?: string | undefined;
  /** Calls as JSON. */
  readonly calls?: string | undefined;
}

/** Builds the request, or returns what is wrong with the form. */
export function buildFork(form: ForkForm, position: number): ForkInput | string {
  const strategic = form.strategicModel.trim();
  const tactical = form.tacticalModel.trim();
  const models = { ...(strategic === '' ? {} : { strategic }), ...(tactical === '' ? {} : { tactical }) };
  const response = form.isEdited ? readResponse(form) : undefined;
  if (typeof response === 'string') return response;
  return {
    position,
    mode: form.mode,
    ...(form.agent === '' ? {} : { agent: form.agent }),
    ...(Object.keys(models).length === 0 ? {} : { models }),
    ...(response === undefined ? {} : { response }),
  };
}

function readResponse({ content = '', calls = '[]' }: ForkForm): NonNullable<ForkInput['response']> | string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(calls);
  } catch (error) {
    return `The calls are not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
  const response = editedResponseInputSchema.safeParse({ content, calls: parsed });
  if (response.success) return response.data;
  const [issue] = response.error.issues;
  return `The answer is not valid at ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`;
}
