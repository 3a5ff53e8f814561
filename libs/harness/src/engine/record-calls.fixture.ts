/** Wraps an object so that it calls `onCall` with the name of each method before it runs. */
export function recordCalls<Target extends object>(target: Target, onCall: (method: string) => void): Target {
  return new Proxy(target, {
    get: (_target, key) => {
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        onCall(String(key));
        return (member as (...args: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}
