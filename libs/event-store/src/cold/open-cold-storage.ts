import { ColdStorage } from './cold-storage.js';
import { ColdStorageInvalid } from './cold-errors.js';
import { FolderArchives } from './folder-archives.js';
import { S3Archives } from './s3-archives.js';

/** The settings of a process that say where archives are, with the names of their environment variables. */
export interface ColdStorageSettings {
  /** A folder, or `s3://bucket/prefix`. */
  readonly PHASELINE_COLD_STORAGE?: string | undefined;
  readonly PHASELINE_COLD_STORAGE_ENDPOINT?: string | undefined;
  readonly PHASELINE_COLD_STORAGE_REGION?: string | undefined;
  readonly PHASELINE_COLD_STORAGE_KEY_ID?: string | undefined;
  readonly PHASELINE_COLD_STORAGE_SECRET_KEY?: string | undefined;
  readonly PHASELINE_COLD_STORAGE_SESSION_TOKEN?: string | undefined;
}

const BUCKET = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*))?\/?$/;

/** Opens the storage that the settings name. Returns undefined without PHASELINE_COLD_STORAGE. Throws ColdStorageInvalid. */
export function openColdStorage(settings: ColdStorageSettings): ColdStorage | undefined {
  const place = settings.PHASELINE_COLD_STORAGE?.trim();
  if (!place) return undefined;
  return new ColdStorage(/^s3:/i.test(place) ? openBucket(place, settings) : new FolderArchives(place));
}

function openBucket(place: string, settings: ColdStorageSettings): S3Archives {
  const [, bucket, prefix = ''] = BUCKET.exec(place) ?? [];
  if (bucket === undefined)
    throw new ColdStorageInvalid(
      `"${place}" names no bucket; expected s3://bucket/prefix, with only letters, digits and . _ - in the prefix`,
    );
  const read = (name: keyof ColdStorageSettings): string | undefined => settings[name]?.trim() || undefined;
  const readRequired = (name: keyof ColdStorageSettings): string => {
    const value = read(name);
    if (value === undefined) throw new ColdStorageInvalid(`${place} needs ${name}`);
    return value;
  };
  const endpoint = read('PHASELINE_COLD_STORAGE_ENDPOINT');
  // Most services other than that of Amazon have a single region, and accept this name for it.
  const region =
    read('PHASELINE_COLD_STORAGE_REGION') ??
    (endpoint === undefined ? readRequired('PHASELINE_COLD_STORAGE_REGION') : 'us-east-1');
  return new S3Archives({
    ...{ bucket, prefix, region, endpoint: endpoint ?? `https://s3.${region}.amazonaws.com` },
    accessKeyId: readRequired('PHASELINE_COLD_STORAGE_KEY_ID'),
    secretAccessKey: readRequired('PHASELINE_COLD_STORAGE_SECRET_KEY'),
    sessionToken: read('PHASELINE_COLD_STORAGE_SESSION_TOKEN'),
  });
}
