/** Stores archives outside of the database, each under a name that contains its hash. */
export interface ArchiveStore {
  /** Location for people, such as a folder. */
  readonly location: string;
  /** Stores an archive. When it resolves, the archive survives a crash of this machine. Storing it again changes nothing. */
  put(name: string, content: Uint8Array): Promise<void>;
  /** Reads an archive; undefined if there is none of this name. */
  get(name: string): Promise<Uint8Array | undefined>;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9-]*\/[0-9a-f]{64}\.jsonl\.zst$/;

/** Name of the archive of a correlation. The hash makes the names of two archives differ, so no archive is ever overwritten. */
export function archiveName(correlationId: string, sha256: string): string {
  return `${correlationId}/${sha256}.jsonl.zst`;
}

/** Throws if a name could leave the storage. Names are read from the database, which a compromised service may have written. */
export function assertArchiveName(name: string): void {
  if (!NAME.test(name)) throw new Error(`${JSON.stringify(name)} is not the name of an archive`);
}
