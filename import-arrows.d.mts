export declare const arrows: Readonly<Record<string, readonly string[]>>;
export declare const importersOfAnyLibrary: readonly string[];
