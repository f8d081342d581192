import type { z } from 'zod';
import type { Evidence, Money } from '#src/domain/extract-locally/field.ts';

/** Name of the channel that a config chooses. */
type Channel<Config, Usual extends string> = Config extends { readonly output: infer Name extends string }
  ? Name
  : Usual;

interface Found<Value> {
  readonly value: Value | null;
  readonly evidence: Evidence | null;
  readonly confidence: number;
  readonly verified: boolean;
}

/** Field of an object or list, whose cells have their own evidence. */
type FoundNested<Value> = Omit<Found<Value>, 'evidence'> & { readonly evidence: null };

interface Scalars {
  readonly string: string;
  readonly date: string;
  readonly number: number;
  readonly integer: number;
  readonly boolean: boolean;
  readonly money: Money;
}

type FoundField<Rule> = Rule extends { readonly type: 'object'; readonly fields: infer Fields }
  ? FoundNested<FoundFields<Fields>>
  : Rule extends { readonly type: 'array'; readonly items: { readonly type: 'object'; readonly fields: infer Fields } }
    ? FoundNested<readonly FoundFields<Fields>[]>
    : Rule extends { readonly type: 'array' }
      ? Omit<Found<readonly string[]>, 'evidence'> & { readonly evidence: readonly (Evidence | null)[] | null }
      : Rule extends { readonly type: infer Type extends keyof Scalars }
        ? Found<Scalars[Type]>
        : unknown;
type FoundFields<Rules> = { readonly [Name in keyof Rules]: FoundField<Rules[Name]> };

interface BesideFields {
  readonly missing: readonly string[];
  readonly modelLabel: string;
  readonly ocrResultId: string | null;
}

/** TypeScript type of a JSON Schema that is written out; unknown for keywords that it does not know. */
type OfSchema<Schema> = Schema extends
  | { readonly $ref: unknown }
  | { readonly anyOf: unknown }
  | { readonly oneOf: unknown }
  | { readonly allOf: unknown }
  ? unknown
  : Schema extends { readonly const: infer Value }
    ? Value
    : Schema extends { readonly enum: readonly (infer Value)[] }
      ? Value
      : Schema extends { readonly type: 'object'; readonly properties: infer Properties }
        ? Schema extends { readonly additionalProperties: true | object }
          ? { readonly [Name in keyof Properties]: OfSchema<Properties[Name]> } & Readonly<Record<string, unknown>>
          : { readonly [Name in keyof Properties]: OfSchema<Properties[Name]> }
        : Schema extends { readonly type: 'array'; readonly items: infer Items }
          ? readonly OfSchema<Items>[]
          : Schema extends { readonly type: 'string' }
            ? string
            : Schema extends { readonly type: 'number' | 'integer' }
              ? number
              : Schema extends { readonly type: 'boolean' }
                ? boolean
                : unknown;

type Answer<Config> = Config extends { readonly schema: infer Schema } ? OfSchema<Schema> : string;
type Reviewed<Config> = Config extends { readonly answer: readonly (infer Option)[] }
  ? Option
  : Config extends { readonly answer: infer Schema }
    ? OfSchema<Schema>
    : unknown;

interface Classified {
  readonly label: string;
  readonly confidence: number;
  readonly evidence: readonly string[];
  readonly modelLabel: string;
}

interface Response {
  readonly status: number;
  readonly contentType: string;
  readonly body: unknown;
  readonly truncated?: true;
}

/** Values of node types whose channels or values depend on the config. */
interface ByConfig<Config> {
  readonly extract: {
    readonly [Name in Channel<Config, 'fields'>]: Config extends { readonly fields: infer Fields }
      ? FoundFields<Fields> & BesideFields
      : unknown;
  };
  readonly classify: { readonly [Name in Channel<Config, 'classification'>]: Classified };
  readonly llm: { readonly [Name in Channel<Config, 'answer'>]: Answer<Config> };
  readonly agent: { readonly [Name in Channel<Config, 'answer'>]: Answer<Config> };
  readonly review: { readonly [Name in Channel<Config, 'answer'>]: Reviewed<Config> };
  readonly http: { readonly [Name in Channel<Config, 'response'>]: Response };
  readonly transform: Config extends { readonly set: infer Set } ? { readonly [Name in keyof Set]: unknown } : unknown;
  readonly workflow: Config extends { readonly outputs: infer Outputs }
    ? { readonly [Name in keyof Outputs]: unknown }
    : unknown;
}

type OfOutputs<Outputs> = {
  readonly [Name in keyof Outputs]: Outputs[Name] extends z.ZodType ? z.output<Outputs[Name]> : unknown;
};

/** Values by channel that a node of this type writes with this config; empty if the type is not known. */
export type Written<Type, Outputs, Config> = Type extends keyof ByConfig<Config>
  ? ByConfig<Config>[Type]
  : string extends keyof Outputs
    ? unknown
    : OfOutputs<Outputs>;
