import { Pagination, SearchInput, Toolbar, ToolbarContent, ToolbarItem } from "@patternfly/react-core";
import { Table, Tbody, Td, Th, Thead, Tr } from "@patternfly/react-table";
import { useMemo } from "react";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { Act, type Action } from "./act.tsx";
import { useAddress } from "./address.ts";
import { Breakable } from "./breakable.tsx";
import { Empty } from "./page.tsx";

/** One column: what it sorts and searches by, and how it is shown where that is not the same. */
export interface Column<O> {
  readonly title: string;
  readonly value: (object: O) => string | number | undefined;
  readonly cell?: (object: O) => React.ReactNode;
  /** Holds sentences: percent of the table's width that it gets. */
  readonly width?: 25 | 35 | 40;
}

interface ObjectTableProps<O> {
  /** What is listed, in the plural. */
  readonly what: string;
  readonly objects: readonly O[];
  readonly columns: readonly Column<O>[];
  readonly keyOf?: (object: O) => string;
  /** More filters, beside the search, and what they let through. */
  readonly filters?: React.ReactNode;
  readonly passes?: (object: O) => boolean;
  /** Said where there is nothing at all. */
  readonly empty: React.ReactNode;
  /** What may be done with an object: stands at the end of its row. */
  readonly actions?: (object: O) => readonly Action[];
  /** Distinguishes the tables of one page in the address. */
  readonly id?: string;
}

const pageSizes = [20, 50, 100, 500].map((value) => ({ title: String(value), value }));

/** A list that is searched, sorted and paged; its state stands in the address, so that it can be shared. */
export function ObjectTable<O>(props: ObjectTableProps<O>) {
  const { what, objects, columns, keyOf = uidOf, filters, passes = all, empty, actions, id = "" } = props;
  const [address, setAddress] = useAddress();
  const of = (name: string) => address.get(id + name) ?? "";
  const query = of("q");
  const sorted = Math.max(
    0,
    columns.findIndex(({ title }) => title === of("sort")),
  );
  const isDown = of("desc") === "1";
  // People write addresses, too: of pages and their sizes there are only those that can be chosen.
  const perPage = pageSizes.find(({ title }) => title === of("per"))?.value ?? 50;
  const found = useMemo(() => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const texts = (object: O) =>
      columns
        .map(({ value }) => String(value(object) ?? ""))
        .join(" ")
        .toLowerCase();
    const matching = objects.filter((object) => {
      if (!passes(object)) return false;
      const text = words.length > 0 ? texts(object) : "";
      return words.every((word) => text.includes(word));
    });
    const { value } = columns[sorted] as Column<O>;
    return matching.toSorted((one, other) => (isDown ? -1 : 1) * compare(value(one), value(other)));
  }, [objects, passes, columns, query, sorted, isDown]);
  const last = Math.max(1, Math.ceil(found.length / perPage));
  const page = Math.min(last, Math.max(1, Math.trunc(Number(of("page"))) || 1));
  const shown = found.slice((page - 1) * perPage, page * perPage);
  const set = (changes: Record<string, string | undefined>) =>
    setAddress(Object.fromEntries(Object.entries(changes).map(([name, value]) => [id + name, value])));

  if (objects.length === 0) return empty;
  return (
    <div>
      <Toolbar>
        <ToolbarContent>
          <ToolbarItem>
            <SearchInput
              aria-label={`Search ${what}`}
              placeholder={`Search ${what}`}
              value={query}
              onChange={(_, value) => set({ q: value || undefined, page: undefined })}
              onClear={() => set({ q: undefined, page: undefined })}
            />
          </ToolbarItem>
          {filters}
          <ToolbarItem align={{ default: "alignEnd" }}>
            <Pagination
              isCompact
              itemCount={found.length}
              perPage={perPage}
              page={page}
              perPageOptions={pageSizes}
              titles={{ paginationAriaLabel: `Pages of ${what}` }}
              onSetPage={(_, page) => set({ page: page > 1 ? String(page) : undefined })}
              onPerPageSelect={(_, per) => set({ per: String(per), page: undefined })}
            />
          </ToolbarItem>
        </ToolbarContent>
      </Toolbar>
      {shown.length === 0 ? (
        <Empty title={`No ${what} match`}>Change the search or the filters.</Empty>
      ) : (
        <Table aria-label={what} variant="compact" gridBreakPoint="grid-md">
          <Thead>
            <Tr>
              {columns.map(({ title, width }, index) => (
                <Th
                  key={title}
                  {...(width ? { width } : {})}
                  modifier="nowrap"
                  sort={{
                    sortBy: { index: sorted, direction: isDown ? "desc" : "asc" },
                    columnIndex: index,
                    onSort: (_, __, direction) =>
                      set({ sort: title, desc: direction === "desc" ? "1" : undefined, page: undefined }),
                  }}
                >
                  {title}
                </Th>
              ))}
              {actions && <Th screenReaderText="Actions" />}
            </Tr>
          </Thead>
          <Tbody>
            {shown.map((object) => (
              <Tr key={keyOf(object)}>
                {columns.map(({ title, value, cell }) => (
                  <Td key={title} dataLabel={title} modifier="breakWord">
                    {/* One element: on a narrow screen the cell is a grid. */}
                    <div>{cell ? cell(object) : <Breakable text={String(value(object) ?? "-")} />}</div>
                  </Td>
                ))}
                {actions && (
                  <Td dataLabel="Actions">
                    <div className="hf-actions">
                      {actions(object).map((action) => (
                        <Act key={action.label} action={action} />
                      ))}
                    </div>
                  </Td>
                )}
              </Tr>
            ))}
          </Tbody>
        </Table>
      )}
    </div>
  );
}

const all = () => true;
const uidOf = (object: unknown) => (object as KubernetesObject).metadata.uid;
const collator = new Intl.Collator("en", { numeric: true });

/** What is missing comes last. */
function compare(one: string | number | undefined, other: string | number | undefined): number {
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
  return typeof one === "number" && typeof other === "number" ? one - other : collator.compare(`${one}`, `${other}`);
}
