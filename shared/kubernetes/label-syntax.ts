const prefix = "(?=[^/]{1,253}/)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/";
const name = "(?=.{1,63}$)[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?";
const keys = new RegExp(`^(${prefix})?${name}$`);
const values = new RegExp(`^(${name})?$`);

/** Whether the API server lets a label, or a taint, have this key. */
export const isLabelKey = (text: string): boolean => keys.test(text);

/** Whether the API server lets a label, or a taint, have this value. */
export const isLabelValue = (text: string): boolean => values.test(text);
