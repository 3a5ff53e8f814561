import type { ModelTimeouts } from '@phaseline/model';
import type { ConfiguredModel, ModelCatalogue } from '@phaseline/phase-runner';
import type { Progress } from '@phaseline/service';

/** The model client gives up by itself at its timeouts; what is silent for this much longer hangs. */
const GRACE_MS = 10_000;

/**
 * The models, telling when their servers send something. A slow model that streams makes progress with every byte; one that is
 * silent for longer than its profile allows does not, whatever else goes on.
 */
export function watchedModels(models: ModelCatalogue, progress: Progress): ModelCatalogue {
  return {
    find: async (name) => {
      const found = await models.find(name);
      return found && watched(found, progress);
    },
  };
}

function watched(configured: ConfiguredModel, progress: Progress): ConfiguredModel {
  const { model, profile } = configured;
  const limits = limitsOf(profile.timeouts);
  return {
    ...configured,
    model: {
      ...model,
      complete: (request, options) =>
        progress.within(`waits for the model ${profile.name}`, limits.firstByteMs, () =>
          model.complete(request, {
            ...options,
            onBytes: () => {
              progress.allow(limits.idleMs);
              options.onBytes?.();
            },
            onRetry: (notice) => {
              progress.allow(notice.delayMs + limits.firstByteMs);
              options.onRetry?.(notice);
            },
          }),
        ),
    },
  };
}

function limitsOf({ firstByteMs, idleMs, callMs }: ModelTimeouts): { firstByteMs: number; idleMs: number } {
  return { firstByteMs: Math.min(firstByteMs, callMs) + GRACE_MS, idleMs: Math.min(idleMs, callMs) + GRACE_MS };
}
