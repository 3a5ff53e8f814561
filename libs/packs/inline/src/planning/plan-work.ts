import { toCanonicalJson, type JsonObject } from '@phaseline/basics';
import { ToolError } from '@phaseline/contracts';
import type { PhaseEvent, PhaseEventData } from '@phaseline/domain';
import {
  type AdaptationLogEntry,
  approvedPlanSchema,
  type ArtifactKind,
  artifactKinds,
  computeContentHash,
  type DraftedPlan,
  planContextSchema,
  planOutlineSchema,
  planPaths,
  type PlanSession,
  planSessionSchema,
  type Product,
  roadmapSchema,
  scheduleSchema,
} from '@phaseline/planning';
import type { InlineToolContext, InlineToolOutcome } from '@phaseline/tools';
import { encodeText, hashText, type FileChange, type WorkspaceReader } from '@phaseline/workspace';
import { readTextIfExists } from '../read-text-if-exists.js';

const schemas = {
  context: planContextSchema,
  outline: planOutlineSchema,
  roadmap: roadmapSchema,
  schedule: scheduleSchema,
} as const;

/** Returns the content hash of a value. */
export function hashJson(value: object): string {
  return computeContentHash(value, hashText);
}
/**
 * A plan as one call sees and changes it: session, artifacts and events, which are committed together. What a stored file contains was written by
 * these tools, so a file that does not parse is a defect, not bad input.
 */
export class PlanWork {
  private readonly before: string | undefined;
  private readonly events: PhaseEvent[] = [];
  private readonly files: FileChange[] = [];

  private constructor(
    readonly context: Pick<InlineToolContext, 'callId'>,
    private opened: PlanSession | undefined,
    private current: DraftedPlan,
  ) {
    this.before = opened && toCanonicalJson(opened);
  }

  static async read({ workspace, callId }: Pick<InlineToolContext, 'workspace' | 'callId'>): Promise<PlanWork> {
    const session = await readJson(workspace, planPaths.session);
    const artifacts = await readArtifacts(workspace);
    return new PlanWork({ callId }, session === undefined ? undefined : planSessionSchema.parse(session), artifacts);
  }

  /** The session. Throws ToolError if it was not opened. */
  get session(): PlanSession {
    if (!this.opened) throw new ToolError('prerequisite_missing', 'Not executed: the session of the plan is not open.');
    return this.opened;
  }

  set session(session: PlanSession) {
    this.opened = session;
  }

  get artifacts(): DraftedPlan {
    return this.current;
  }

  /** What exists, for the prerequisites of tools. */
  listProducts(): ReadonlySet<Product> {
    const kinds = artifactKinds.filter((kind) => this.current[kind] !== undefined);
    const pattern: readonly Product[] = this.opened?.selectedPattern ? ['pattern'] : [];
    return new Set<Product>([...(this.opened ? (['session'] as const) : []), ...kinds, ...pattern]);
  }

  /** Stores an artifact and returns its content hash. Nothing is recorded if the plan has the same one. */
  recordArtifact(kind: ArtifactKind, artifact: object): string {
    const text = toCanonicalJson(artifact);
    const hash = hashText(text);
    if (this.session.hashes[kind] === hash) return hash;
    const madeFrom = this.findSource(kind);
    this.current = { ...this.current, [kind]: artifact };
    this.session = { ...this.session, hashes: this.dropMadeFrom(kind, hash) };
    const path = planPaths[kind];
    this.files.push({ path, content: encodeText(text) });
    this.record('PlanArtifactRecorded', { kind, hash, ...(madeFrom === undefined ? {} : { madeFrom }), path });
    return hash;
  }

  /** Writes a file of the plan that is no artifact. */
  writeFile(path: string, text: string): void {
    this.files.push({ path, content: encodeText(text) });
  }

  /** Records an artifact whose file another call of the stage has written. */
  adoptArtifact(kind: ArtifactKind): void {
    const artifact = this.current[kind];
    if (artifact) this.recordArtifact(kind, artifact);
  }

  /** Records a structural change. */
  recordAdaptation(entry: AdaptationLogEntry): void {
    const hash = hashJson(entry);
    const adaptations = [...this.session.adaptations, { entry, hash, isApproved: false }];
    this.session = { ...this.session, adaptations };
    this.record('PlanAdapted', { hash, ...entry });
  }

  /** Records an event of the call. The compiler does not see that type and data belong together. */
  record<Type extends PhaseEvent['type']>(type: Type, data: Omit<PhaseEventData<Type>, 'callId'>): void {
    this.events.push({ type, data: { callId: this.context.callId, ...data } } as unknown as PhaseEvent);
  }

  /** Builds the outcome of the call with everything that changed. */
  finish(outcome: Pick<InlineToolOutcome, 'content'> & { readonly result: JsonObject }): InlineToolOutcome {
    return { ...outcome, ...this.listChanges() };
  }

  /** Builds the outcome of a call that asks the person, with everything that changed. */
  ask(question: NonNullable<InlineToolOutcome['question']>): InlineToolOutcome {
    return { content: '', question, ...this.listChanges() };
  }

  private listChanges(): Pick<InlineToolOutcome, 'files' | 'events'> {
    const session = planSessionSchema.parse(this.session);
    const text = toCanonicalJson(session);
    if (text === this.before) return { files: this.files, events: this.events };
    this.recordStatus(session);
    const files = [...this.files, { path: planPaths.session, content: encodeText(text) }, ...this.listResults(session)];
    return { files, events: this.events };
  }

  /** What a job hands over that has an approved plan. */
  private listResults({ planningStatus }: PlanSession): readonly FileChange[] {
    const plan = planningStatus === 'complete' ? approvedPlanSchema.safeParse(this.current) : undefined;
    return plan?.success ? [{ path: planPaths.approved, content: encodeText(toCanonicalJson(plan.data)) }] : [];
  }

  /** Records what callers can branch on, if it changed. */
  private recordStatus(session: PlanSession): void {
    const status = toStatus(session);
    const before = this.before === undefined ? undefined : toStatus(JSON.parse(this.before) as PlanSession);
    if (before && toCanonicalJson(before) === toCanonicalJson(status)) return;
    this.record('PlanStatusChanged', status);
  }

  /** Hash of the artifact from which one is made. */
  private findSource(kind: ArtifactKind): string | undefined {
    const { hashes } = this.session;
    return kind === 'context' ? hashes.context : hashes[artifactKinds[artifactKinds.indexOf(kind) - 1]!];
  }

  /** A new artifact makes those after it outdated: they were made from another one. */
  private dropMadeFrom(kind: ArtifactKind, hash: string): PlanSession['hashes'] {
    const kept = artifactKinds.slice(0, artifactKinds.indexOf(kind));
    const entries = kept.flatMap((one) => (this.session.hashes[one] ? [[one, this.session.hashes[one]] as const] : []));
    return { ...Object.fromEntries(entries), [kind]: hash };
  }
}

function toStatus(session: PlanSession): Omit<PhaseEventData<'PlanStatusChanged'>, 'callId'> {
  const { planningStatus, stage, responseText, escalateReason, selectedPattern, proposal } = session;
  const rfc = proposal?.pattern.rfc;
  return {
    ...{ planningStatus, stage, responseText },
    ...(escalateReason === undefined ? {} : { escalateReason }),
    ...(selectedPattern === undefined ? {} : { selectedPattern: toJson(selectedPattern) }),
    patternRfcRequired: proposal !== undefined,
    ...(rfc === undefined ? {} : { patternRfcText: rfc }),
  };
}

/** Returns a value as plain JSON, without members that are `undefined`. */
export function toJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

async function readArtifacts(workspace: WorkspaceReader): Promise<DraftedPlan> {
  const entries = await Promise.all(
    artifactKinds.map(async (kind) => {
      const value = await readJson(workspace, planPaths[kind]);
      return value === undefined ? [] : [[kind, schemas[kind].parse(value)] as const];
    }),
  );
  return Object.fromEntries(entries.flat());
}

async function readJson(workspace: WorkspaceReader, path: string): Promise<unknown> {
  const text = await readTextIfExists(workspace, path);
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}
