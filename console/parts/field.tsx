import {
  FormGroup,
  FormHelperText,
  FormSelect,
  FormSelectOption,
  HelperText,
  HelperTextItem,
  TextInput,
} from "@patternfly/react-core";

export interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly value: string | number;
  readonly onChange: (value: string) => void;
  readonly problem: string | undefined;
  readonly help?: string | undefined;
  readonly type?: "text" | "number";
  readonly isRequired?: boolean;
  /** To choose from; who may not list them can still name one. */
  readonly values?: readonly string[] | undefined;
}

/** A field with its label, and what is wrong with it or helps with it below. */
export function Field({ id, label, value, onChange, problem, help, type, isRequired, values = [] }: FieldProps) {
  return (
    <FormGroup label={label} fieldId={id} isRequired={isRequired ?? false}>
      {values.length > 0 ? (
        <FormSelect id={id} value={value} onChange={(_, value) => onChange(value)}>
          <FormSelectOption value="" label="Choose one" isPlaceholder />
          {values.toSorted().map((value) => (
            <FormSelectOption key={value} value={value} label={value} />
          ))}
        </FormSelect>
      ) : (
        <TextInput
          id={id}
          type={type ?? "text"}
          value={value}
          validated={problem ? "error" : "default"}
          aria-describedby={`${id}-help`}
          onChange={(_, value) => onChange(value)}
        />
      )}
      <FormHelperText>
        <HelperText id={`${id}-help`}>
          {(problem ?? help) && (
            <HelperTextItem variant={problem ? "error" : "default"}>{problem ?? help}</HelperTextItem>
          )}
        </HelperText>
      </FormHelperText>
    </FormGroup>
  );
}
