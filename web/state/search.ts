/** Readers of one parameter of an address: what is missing or wrong is left out, never an error. */
export type Raw = Readonly<Record<string, unknown>>;

export function text(raw: Raw, name: string): string | undefined {
  const value = raw[name];
  return typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;
}

export function oneOf<Value extends string>(raw: Raw, name: string, values: readonly Value[]): Value | undefined {
  return values.find((value) => value === raw[name]);
}

export function whole(raw: Raw, name: string): number | undefined {
  const value = Number(raw[name]);
  return raw[name] !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Leaves out what is undefined, so that addresses stay short. */
export function known<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>;
  };
}
