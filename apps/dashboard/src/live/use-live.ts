/** Placeholder until the live channel is connected. */
export function useLive(): void {}
