/** The seed is the product's own: with API_DEBUG=true a start makes it, too. */
export { makeOperator, seed, type Seed } from '#src/compose/seed.ts';
