/** The namespace that scenarios happen in. */
export const shop = "shop";
