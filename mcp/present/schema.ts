/** A part of a JSON Schema. */
export type Schema = Record<string, unknown>;

/** Members of each option of a union that is shown as one object, by the value that names the option. JSON has no symbols, so clients never see it. */
export const optionMembers = Symbol('members of options');
export interface Options {
  readonly discriminator: string;
  readonly members: Readonly<Record<string, readonly string[]>>;
}
export const optionsIn = (schema: Schema): Options | undefined =>
  (schema as { [optionMembers]?: Options })[optionMembers];

export interface ObjectSchema {
  [key: string]: unknown;
  type: 'object';
}

export const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const propertiesOf = ({ properties }: Schema): Readonly<Record<string, Schema>> =>
  isObject(properties) ? (properties as Record<string, Schema>) : {};

export const listOf = (value: unknown): readonly Schema[] => (Array.isArray(value) ? (value as Schema[]) : []);
