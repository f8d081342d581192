/**
 * Checks expressions of workflows in code while they compile: each path such as `fields.total.value` must be one of the channels and their
 * fields. The types follow TypeScript strings, not the grammar of CEL, and take what they cannot follow; the checker at start-up reads
 * all of it. Source: docs/decisions/0168.
 */

type Letter =
  | 'a'
  | 'b'
  | 'c'
  | 'd'
  | 'e'
  | 'f'
  | 'g'
  | 'h'
  | 'i'
  | 'j'
  | 'k'
  | 'l'
  | 'm'
  | 'n'
  | 'o'
  | 'p'
  | 'q'
  | 'r'
  | 's'
  | 't'
  | 'u'
  | 'v'
  | 'w'
  | 'x'
  | 'y'
  | 'z';
type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9';
type PathCharacter = Letter | Uppercase<Letter> | Digit | '_' | '.';

/** Parts that declare variables, or that the scan below would misread. */
type Unreadable = `${string}${
  | `.${'map' | 'filter' | 'all' | 'exists' | 'exists_one' | 'bind'}(`
  | '\\'
  | "'"
  | '"""'
  | ' .'
  | '. '
  | '.?'
  | '\n'
  | '\t'
  | '//'}${string}`;

/** The source without its texts. */
type WithoutTexts<Source extends string, Before extends string = ''> = Source extends `${infer Start}"${infer Rest}`
  ? Rest extends `${string}"${infer After}`
    ? WithoutTexts<After, `${Before}${Start}0`>
    : ''
  : `${Before}${Source}`;

type IsOpen<Value> = 0 extends 1 & Value ? true : unknown extends Value ? true : [Value] extends [never] ? true : false;

type FieldOf<Value, Name extends string> = Value extends readonly unknown[]
  ? never
  : Value extends object
    ? Name extends keyof Value
      ? Value[Name]
      : never
    : never;

type FieldError<Value, Path extends string, At extends string> =
  IsOpen<Value> extends true
    ? never
    : Path extends `${infer Name}.${infer Rest}`
      ? [FieldOf<NonNullable<Value>, Name>] extends [never]
        ? `${At} has no field "${Name}"`
        : FieldError<FieldOf<NonNullable<Value>, Name>, Rest, `${At}.${Name}`>
      : [FieldOf<NonNullable<Value>, Path>] extends [never]
        ? `${At} has no field "${Path}"`
        : never;

type PathError<Path extends string, Channels> = Path extends
  | ''
  | `.${string}`
  | `${string}.`
  | `${Digit}${string}`
  | 'true'
  | 'false'
  | 'null'
  | 'in'
  ? never
  : Path extends `${infer Name}.${infer Rest}`
    ? Name extends keyof Channels
      ? FieldError<Channels[Name], Rest, Name>
      : `there is no channel "${Name}"`
    : Path extends keyof Channels
      ? never
      : `there is no channel "${Path}"`;

/** The value that a method is called on: `a.b` of `a.b.size(`. */
type Receiver<Path extends string> = Path extends `${infer Name}.${infer Rest}`
  ? Rest extends `${string}.${string}`
    ? `${Name}.${Receiver<Rest>}`
    : Name
  : '';

/** First error of a part of an expression without spaces. */
type PartError<Part extends string, Channels, Path extends string = ''> = Part extends `${infer Character}${infer Rest}`
  ? Character extends PathCharacter
    ? PartError<Rest, Channels, `${Path}${Character}`>
    : [PathError<Character extends '(' ? Receiver<Path> : Path, Channels>] extends [never]
      ? PartError<Rest, Channels>
      : PathError<Character extends '(' ? Receiver<Path> : Path, Channels>
  : PathError<Path, Channels>;

type PartsError<Source extends string, Channels> = Source extends `${infer Part} ${infer Rest}`
  ? [PartError<Part, Channels>] extends [never]
    ? PartsError<Rest, Channels>
    : PartError<Part, Channels>
  : PartError<Source, Channels>;

/** The first thing that is wrong with an expression, as a text; never if it is right or cannot be followed. */
export type ExpressionError<Source, Channels> = Source extends string
  ? string extends Source
    ? never
    : Source extends Unreadable
      ? never
      : PartsError<WithoutTexts<Source>, Channels>
  : never;

/** The same of a text with `{{ expression }}`. */
export type TemplateError<Text, Channels> = Text extends string
  ? string extends Text
    ? never
    : Text extends `${string}{{${infer Source}}}${infer Rest}`
      ? [ExpressionError<Source, Channels>] extends [never]
        ? TemplateError<Rest, Channels>
        : ExpressionError<Source, Channels>
      : never
  : never;

/** The text itself, or what is wrong with it, to which it cannot be assigned. */
export type Checked<Text, Error> = [Error] extends [never] ? Text : Error;
