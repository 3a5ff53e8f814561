import { readCount, readList, readObject, readString, type UntypedData } from '@phaseline/client';

/** What the screen shows of a roadmap. Nodes are named by their ids in the outline. */
export interface RoadmapView {
  readonly phases: readonly RoadmapPhase[];
  readonly dependencies: readonly Dependency[];
  readonly options: readonly TriedOption[];
  readonly choiceReason: string | undefined;
}

interface RoadmapPhase {
  readonly node: string;
  readonly mayOverlap: boolean;
  readonly milestones: readonly { readonly node: string; readonly due: string | undefined }[];
  readonly tasks: readonly string[];
}

export interface Dependency {
  readonly from: string;
  readonly to: string;
  readonly rule: string;
}

interface TriedOption {
  readonly id: string;
  readonly title: string;
  readonly reason: string;
  readonly isChosen: boolean;
}

/** How a successor depends on its predecessor. */
const rules: Readonly<Record<string, string>> = {
  FS: 'starts after the end of',
  SS: 'starts after the start of',
  FF: 'ends after the end of',
  SF: 'ends after the start of',
};

/** Reads a roadmap, whose shape may be that of another release: what is missing is left out. */
export function readRoadmap(roadmap: UntypedData): RoadmapView {
  const choice = readObject(roadmap, 'choice');
  const chosen = readString(choice, 'option');
  return {
    phases: readList(roadmap, 'phases').map((phase) => ({
      node: readString(phase, 'node') ?? '',
      mayOverlap: phase['mayOverlap'] === true,
      milestones: readList(phase, 'milestones').map((milestone) => ({
        node: readString(milestone, 'node') ?? '',
        due: readString(milestone, 'due'),
      })),
      tasks: readTexts(phase['tasks']),
    })),
    dependencies: readList(roadmap, 'dependencies').map(readDependency),
    options: readList(roadmap, 'optionsTried').map((option) => ({
      id: readString(option, 'id') ?? '',
      title: readString(option, 'title') ?? '',
      reason: readString(option, 'reason') ?? '',
      isChosen: readString(option, 'id') === chosen,
    })),
    choiceReason: readString(choice, 'reason'),
  };
}

function readDependency(dependency: UntypedData): Dependency {
  const kind = readString(dependency, 'kind') ?? '';
  const lag = readObject(dependency, 'lag');
  const amount = readCount(lag, 'amount') ?? 0;
  const unit = readString(lag, 'unit') ?? '';
  const time = readString(lag, 'time') ?? '';
  const lagText =
    amount === 0 ? '' : `, with a ${amount > 0 ? 'lag' : 'lead'} of ${Math.abs(amount)} ${unit} (${time})`;
  return {
    from: readString(dependency, 'from') ?? '',
    to: readString(dependency, 'to') ?? '',
    rule: `${rules[kind] ?? kind}${lagText}`,
  };
}

function readTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
